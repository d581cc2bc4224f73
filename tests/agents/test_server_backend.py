"""Models behind a server: what is sent, what is understood, and what happens while the server is away."""

import base64
import io
import json
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pillow

from shopsim.agents.backend import Image, Message, Prompt, Sampling
from shopsim.agents.models import load_backend
from shopsim.agents.recverse import RecVerseAgent
from shopsim.agents.rollout import Task, collect
from shopsim.agents.schema import answer_schema
from shopsim.agents.server_backend import ServerBackend
from shopsim.agents.spending import Budget
from shopsim.errors import EnvironmentFault, InputError
from tests.agents.chat_server import Body, ChatServer
from tests.agents.conftest import SCROLL, MakeEnv


def echo(body: Body) -> str:
    """The last text asked, and the seed."""
    content = body["messages"][-1]["content"]
    text = content if isinstance(content, str) else "".join(part.get("text", "|") for part in content)
    return f"{text} {body['seed']}"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    server = ChatServer(echo)
    yield server
    server.stop()


def backend(server: ChatServer, **options: Any) -> ServerBackend:
    return ServerBackend(server.url, **options)


def ask(*content: str | Image) -> Prompt:
    return Prompt((Message("system", ("be",)), Message("user", content)))


def screen(value: int) -> Image:
    return Image.of(np.full((32, 32, 3), value, np.uint8))


def test_answers_come_in_order_and_each_belongs_to_its_prompt_and_seed(server: ChatServer) -> None:
    answers = backend(server).generate([ask(f"q{i}") for i in range(20)], range(20), Sampling())
    assert [answer.text for answer in answers] == [f"q{i} {i}" for i in range(20)]


def test_images_travel_as_png_in_reading_order_each_encoded_once(server: ChatServer) -> None:
    model = backend(server)
    screens = [screen(t) for t in range(6)]
    for t in range(5):
        model.generate([ask("a", screens[t], "b", screens[t + 1])], [0], Sampling())
    assert model.images.made == 6
    content = server.bodies[-1]["messages"][1]["content"]
    assert [part["type"] for part in content] == ["text", "image_url", "text", "image_url"]
    for part, value in ((content[1], 4), (content[3], 5)):
        data = base64.b64decode(part["image_url"]["url"].removeprefix("data:image/png;base64,"))
        assert (np.array(Pillow.open(io.BytesIO(data))) == value).all()


def test_a_server_that_does_not_tell_its_tokens_is_not_made_to(server: ChatServer) -> None:
    (answer,) = backend(server).generate([ask("hello")], [3], Sampling(max_tokens=4))
    assert (answer.token_ids, answer.text, answer.truncated, answer.answer_tokens) == (None, "hell", True, 4)
    assert answer.prompt_tokens > 0
    assert "return_token_ids" not in server.bodies[0]


@pytest.mark.parametrize(
    ("sampling", "told"),
    [
        (Sampling(), True),
        (Sampling(temperature=0.0), True),
        (Sampling(temperature=0.7), False),
        (Sampling(top_p=0.9), False),
        (Sampling(schema="{}"), False),
    ],
)
def test_vllm_tells_token_ids_and_log_probabilities_where_they_are_of_what_was_drawn(
    sampling: Sampling, told: bool
) -> None:
    server = ChatServer(echo, owner="vllm")
    (answer,) = backend(server).generate([ask("hi")], [3], sampling)
    server.stop()
    assert answer.token_ids == tuple(map(ord, "hi 3"))
    assert (answer.logprobs == (-0.5,) * 4) if told else answer.logprobs is None


def test_the_request_says_how_to_draw_and_takes_further_fields(server: ChatServer) -> None:
    model = backend(server, request={"top_k": 5, "logprobs": None})
    schema = answer_schema("action", "episodic", "preference")
    model.generate([ask("hi")], [2**62 + 5], Sampling(0.5, 7, 0.9, schema))
    body = server.bodies[0]
    assert {name: body[name] for name in ("model", "temperature", "max_tokens", "top_p", "top_k", "seed")} == {
        "model": "a-model",
        "temperature": 0.5,
        "max_tokens": 7,
        "top_p": 0.9,
        "top_k": 5,
        "seed": 5,
    }
    assert "logprobs" not in body
    assert body["response_format"]["json_schema"]["schema"] == json.loads(schema)
    assert model.settings()["request"] == {"top_k": 5, "logprobs": None}


def test_no_more_requests_at_once_than_allowed(server: ChatServer) -> None:
    server.delay = 0.02
    backend(server, concurrency=3).generate([ask("q")] * 12, range(12), Sampling())
    assert 1 < server.most_at_once <= 3


def test_the_key_is_sent_and_never_told(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "s3cret")
    model = backend(server)
    model.generate([ask("q")], [0], Sampling())
    assert server.headers[0]["authorization"] == "Bearer s3cret"
    assert "s3cret" not in json.dumps(model.settings())


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_what_may_pass_is_tried_again(server: ChatServer, status: int) -> None:
    server.failures = [(status, {"retry-after": "0"}, "{}"), (200, {}, "<html>busy</html>")]
    model = backend(server)
    model.generate([ask("q")], [1], Sampling())
    assert (len(server.bodies), model.retries) == (3, 2)


@pytest.mark.parametrize(
    ("status", "text", "said"),
    [
        (400, '{"error": {"message": "this model\\n has no eyes"}}', "400, this model has no eyes"),
        (401, "{}", r"401, the key is missing or wrong \(environment variable OPENAI_API_KEY\)"),
        (404, "not here", "404, not here"),
    ],
)
def test_what_will_not_pass_ends_in_one_line(server: ChatServer, status: int, text: str, said: str) -> None:
    server.failures = [(status, {}, text)]
    with pytest.raises(InputError, match=f"^the server of a-model refuses: {said}$"):
        backend(server).generate([ask("q")], [1], Sampling())
    assert len(server.bodies) == 1


def test_a_server_that_stays_away_is_a_fault_and_waited_for_once() -> None:
    server = ChatServer(echo)
    model = backend(server, patience=0.4)
    server.stop()
    with pytest.raises(EnvironmentFault, match="stays away: ConnectError"):
        model.generate([ask("q")], [1], Sampling())
    tries = model.retries
    assert tries > 0
    with pytest.raises(EnvironmentFault):
        model.generate([ask("q")] * 3, [1, 2, 3], Sampling())
    assert model.retries == tries
    again = ChatServer(echo, port=server.port)
    assert model.generate([ask("q")], [1], Sampling())[0].text == "q 1"
    again.stop()


def test_a_run_goes_on_over_a_restart_of_its_server(make_env: MakeEnv, sessions: list[str]) -> None:
    asked = threading.Event()

    def answer(body: Body) -> str:
        if len(server.bodies) > 6:
            asked.set()
        return SCROLL

    server = ChatServer(answer)
    model = backend(server)
    again: list[ChatServer] = []

    def restart() -> None:
        asked.wait(60)
        server.stop()
        again.append(ChatServer(lambda body: SCROLL, port=server.port))

    thread = threading.Thread(target=restart)
    thread.start()
    tasks = [Task(session) for session in sessions[:3]]
    rollouts = collect(tasks, lambda: make_env(max_steps=12), lambda: RecVerseAgent.of(model, small=True), lanes=2)
    thread.join()
    again[0].stop()
    assert [rollout.fault for rollout in rollouts] == [None] * 3
    assert again[0].bodies, "the second server answered"


def test_sessions_of_a_server_that_is_gone_are_faults_not_behaviour(make_env: MakeEnv, sessions: list[str]) -> None:
    server = ChatServer(echo)
    model = backend(server, patience=0.0)
    server.stop()
    tasks = [Task(session) for session in sessions[:3]]
    rollouts = collect(tasks, make_env, lambda: RecVerseAgent.of(model, small=True))
    for rollout in rollouts:
        assert rollout.fault is not None
        assert rollout.fault.kind == "model"
        assert not rollout.samples


def test_the_model_is_found_or_asked_for(server: ChatServer) -> None:
    assert load_backend(server.url).settings() == load_backend(f"{server.url}#a-model").settings()
    with pytest.raises(InputError, match=r"serves no model 'b'; it has: a-model \(say which: .*/v1#MODEL\)"):
        load_backend(f"{server.url}#b")


def test_no_server_is_named() -> None:
    server = ChatServer(echo)
    server.stop()
    with pytest.raises(InputError, match=rf"no OpenAI-compatible server answers at {server.url} \(ConnectError"):
        load_backend(server.url)


def test_a_budget_limits_a_server_too(server: ChatServer) -> None:
    model = load_backend(server.url, budget=Budget(tokens=10))
    model.generate([ask("q")], [0], Sampling())
    with pytest.raises(Exception, match="budget of 10 tokens is spent"):
        model.generate([ask("q")], [0], Sampling())


def test_a_server_without_eyes_is_asked_for_no_look(server: ChatServer) -> None:
    with pytest.raises(InputError, match="reads no images"):
        backend(server, reads_images=False).generate([ask(screen(1))], [0], Sampling())


def test_a_trainer_refuses_answers_whose_tokens_are_not_told(
    server: ChatServer, make_env: MakeEnv, sessions: list[str]
) -> None:
    from shopsim.trainers.rows import expand

    model = backend(server)
    rollouts = collect([Task(sessions[0])], lambda: make_env(max_steps=2), lambda: RecVerseAgent.of(model, small=True))
    assert rollouts[0].fault is None
    with pytest.raises(InputError, match="does not tell the sampled tokens"):
        expand(rollouts, [1.0])
