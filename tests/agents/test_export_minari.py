"""Recordings as Minari data sets: bit for bit, and every episode starts and goes again from what is stored."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shopsim.agents.backend import ScriptedBackend
from shopsim.agents.export_minari import UNREAD, env_action, export_minari
from shopsim.agents.human import HumanReplay
from shopsim.agents.record import load, load_screen, record, recordings_in
from shopsim.agents.recverse import RecVerseAgent
from shopsim.agents.trivial import AlwaysAgent, RandomAgent
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs.decision import Decision
from shopsim.errors import DataError, InputError
from tests.agents.test_record import ANSWERS, change, play

minari = pytest.importorskip("minari", reason="Minari is an extra: pip install shopsim[minari]")


class Stray(AlwaysAgent):
    """Clicks beside the screen, clicks nowhere, and leaves."""

    def reset(self, info: Any, seed: int = 0) -> None:
        self._plan = [Decision(Action.CLICK, (1.5, 0.5)), Decision(Action.CLICK), Decision(Action.TERMINATE)]

    def act(self, observation: Any, info: Any) -> Decision:
        return self._plan.pop(0)


@pytest.fixture(params=["ShopSim-v0", "ShopSimReplay-v0", "no pixels"])
def recordings(request: Any, make_env: Any, tiny: DataSet, sessions: list[str], tmp_path: Path) -> list[Path]:
    arguments = {"pixels": False} if request.param == "no pixels" else {"name": request.param}
    agents = [HumanReplay(tiny), RandomAgent(), AlwaysAgent(Action.TERMINATE), Stray(Action.CLICK)]
    if "pixels" not in arguments:
        agents.append(RecVerseAgent(ScriptedBackend(ANSWERS)))
    for agent in agents:
        if request.param == "ShopSimReplay-v0" and isinstance(agent, Stray):
            continue
        for rollout in play(make_env, agent, *sessions[:2], **arguments):
            record(rollout, tmp_path / "recordings", agent.settings())
    return recordings_in(tmp_path)


def test_the_round_trip_is_bit_for_bit(recordings: list[Path], tmp_path: Path) -> None:
    out = export_minari(recordings, tmp_path / "shop")
    assert out == tmp_path / "shop-v0"
    dataset = minari.MinariDataset(out / "data")
    assert dataset.total_episodes == len(recordings)
    for path, episode in zip(recordings, dataset.iterate_episodes(), strict=True):
        trace = load(path)
        steps, moments = trace["steps"], [*trace["steps"], trace["end"]]
        assert len(episode) == len(steps)
        for name in ("page", "cart", "step"):
            assert episode.observations[name].tolist() == [moment["counts"][name] for moment in moments]
        if trace["end"]["screen"]:
            for pixels, moment in zip(episode.observations["screenshot"], moments, strict=True):
                assert pixels.dtype == np.uint8
                assert (pixels == load_screen(path, moment["screen"])).all()
        else:
            assert "screenshot" not in episode.observations
        assert episode.rewards.tolist() == [step["reward"] for step in steps]
        assert episode.terminations.tolist() == [step["terminated"] for step in steps]
        assert episode.truncations.tolist() == [step["truncated"] for step in steps]
        unread = [number == UNREAD for number in episode.actions["action"].tolist()]
        assert unread == [step["decision"]["action"] is None for step in steps]
        assert [*episode.infos["effect"][1:]] == [step["effect"] or "" for step in steps]
        assert [*episode.infos["item"][1:]] == [step["item"] for step in steps]
        for k in range(len(episode)):
            action = {name: values[k] for name, values in episode.actions.items()}
            assert action in dataset.action_space
            observation = {name: values[k] for name, values in episode.observations.items()}
            assert observation in dataset.observation_space


def test_every_episode_can_be_played_again_from_its_metadata(recordings: list[Path], tmp_path: Path) -> None:
    dataset = minari.MinariDataset(export_minari(recordings, tmp_path / "shop-v3") / "data")
    assert dataset.id == "shop-v3"
    env = dataset.recover_environment()
    metadatas = dataset.storage.get_episode_metadata(range(dataset.total_episodes))
    for episode, metadata in zip(dataset.iterate_episodes(), metadatas, strict=True):
        observation, _ = env.reset(seed=metadata["seed"], options=metadata["options"])
        for k in range(len(episode)):
            for name, values in episode.observations.items():
                assert (observation[name] == values[k]).all()
            action = {name: values[k] for name, values in episode.actions.items()}
            observation, reward, terminated, truncated, _ = env.step(env_action(action))
            assert (reward, terminated, truncated) == (
                episode.rewards[k], episode.terminations[k], episode.truncations[k],
            )  # fmt: skip
        assert (observation["page"], observation["cart"]) == (
            episode.observations["page"][-1], episode.observations["cart"][-1],
        )  # fmt: skip
    env.close()


def test_minari_finds_it_by_its_id(make_env: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = record(play(make_env, AlwaysAgent(Action.TERMINATE), "s4")[0], tmp_path / "recordings", {"name": "leaver"})
    monkeypatch.chdir(tmp_path)
    assert export_minari([path], "root/shop") == Path("root/shop-v0")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "root"))
    assert minari.load_dataset("shop-v0").total_steps == 1
    metadata = json.loads((tmp_path / "root" / "shop-v0" / "data" / "metadata.json").read_text())
    assert metadata["jpeg_encoding"] is False


def test_what_cannot_be_written_leaves_nothing(make_env: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "recordings"
    one, two = (record(play(make_env, AlwaysAgent(Action.TERMINATE), "s4", **more)[0], folder, {}) for more in ({}, {}))
    change(two, lambda trace: trace["environment"]["arguments"].update(feed="random"))
    with pytest.raises(DataError, match=f"{two.name}.*was played in another environment"):
        export_minari([one, two], tmp_path / "out")
    (tmp_path / "there-v0").mkdir()
    with pytest.raises(InputError, match="is there already"):
        export_minari([one], tmp_path / "there")
    monkeypatch.setitem(sys.modules, "minari", None)
    with pytest.raises(InputError, match="pip install minari"):
        export_minari([one], tmp_path / "out")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["recordings", "there-v0"]
