"""A small OpenAI-compatible server for tests: answers from a function, and fails as it is told to."""

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


class ChatServer:
    """A server on loopback.

    Args:
        answer: From a request's body to a text.
        owner: What `/models` says of who serves; "vllm" answers with token ids.
        port: 0 for any.
    """

    def __init__(self, answer: Callable[[Body], str], owner: str = "somebody", port: int = 0) -> None:
        self.bodies: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.failures: list[tuple[int, dict[str, str], str]] = []
        """Answers given first, each once: status, headers, text."""
        self.delay = 0.0
        self.most_at_once = 0
        self._now, self._lock = 0, threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments: Any) -> None:
                pass

            def do_GET(self) -> None:
                self._send(200, {"data": [{"id": "a-model", "owned_by": owner}]})

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with server._lock:
                    server.bodies.append(body)
                    server.headers.append({name.lower(): value for name, value in self.headers.items()})
                    failure = server.failures.pop(0) if server.failures else None
                    server._now += 1
                    server.most_at_once = max(server.most_at_once, server._now)
                time.sleep(server.delay)
                with server._lock:
                    server._now -= 1
                if failure is not None:
                    return self._send(failure[0], failure[2], failure[1])
                text = answer(body)
                cut = text[: body["max_tokens"]]
                choice: Body = {
                    "message": {"role": "assistant", "content": cut},
                    "finish_reason": "length" if len(cut) < len(text) else "stop",
                }
                if body.get("logprobs"):
                    choice["logprobs"] = {"content": [{"token": c, "logprob": -0.5} for c in cut]}
                if body.get("return_token_ids"):
                    choice["token_ids"] = [ord(c) for c in cut]
                usage = {"prompt_tokens": len(json.dumps(body["messages"])), "completion_tokens": len(cut)}
                self._send(200, {"choices": [choice], "usage": usage})

            def _send(self, status: int, content: Any, headers: dict[str, str] | None = None) -> None:
                data = (content if isinstance(content, str) else json.dumps(content)).encode()
                self.send_response(status)
                for name, value in (headers or {}).items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(data)))
                self.send_header("connection", "close")
                self.end_headers()
                self.wfile.write(data)

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def stop(self) -> None:
        """The port is closed when this returns."""
        self._server.shutdown()
        self._server.server_close()
