"""What the viewer's pages cost on a data set: CPU milliseconds a request, the client's share included.

python benchmarks/viewer.py FOLDER_OF_A_DATA_SET
"""

import re
import sys
import time
from pathlib import Path

from starlette.testclient import TestClient

from shopsim.server.app import create_app
from shopsim.server.settings import ServerSettings

ROUNDS = 20


def main() -> None:
    folder = Path(sys.argv[1])
    settings = ServerSettings(data=(folder,), rate=1e9, burst=10**9)
    with TestClient(create_app(settings), headers={"accept": "text/html"}) as client:
        home = f"/data/{folder.resolve().name}"
        sessions = re.findall(rf'href="({home}/sessions/[^"]+)"', client.get(home).text)
        pages = {
            "sessions, first page": home,
            "sessions, page 60": f"{home}?page=60",
            "sessions that bought": f"{home}?outcome=bought",
            "sessions by part of their id": f"{home}?find=12",
            "a session's strip": sessions[1],
            "a step": f"{sessions[1]}/steps/0",
        }
        for name, path in pages.items():
            client.get(path)
            print(f"{name:32} {cpu_ms([path] * ROUNDS, client):6.1f} ms {len(client.get(path).content) / 1024:6.0f} KB")
        screens = [f"{session}/screens/{number}.webp" for session in sessions[5:25] for number in range(4)]
        print(f"{'a screen, first asked for':32} {cpu_ms(screens, client):6.1f} ms")
        print(f"{'a screen, asked for again':32} {cpu_ms(screens, client):6.1f} ms")


def cpu_ms(paths: list[str], client: TestClient) -> float:
    """CPU milliseconds a request."""
    before = time.process_time()
    for path in paths:
        client.get(path)
    return 1000 * (time.process_time() - before) / len(paths)


if __name__ == "__main__":
    main()
