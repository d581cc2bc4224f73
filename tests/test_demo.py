"""The demo at a size that takes seconds."""

from pathlib import Path

import pytest

from shopsim.demo import DemoSizes, run_demo

SMALL = DemoSizes(sessions=20, imitation_steps=3, grpo_iterations=1, repetitions=1, record=1)


@pytest.mark.slow
def test_the_demo_does_the_main_job_and_resumes(tmp_path: Path) -> None:
    stages: list[str] = []
    demo = run_demo(tmp_path / "demo", seed=1, sizes=SMALL, stage=lambda name, done, total: stages.append(name))
    page = demo.report.read_text(encoding="utf-8")
    assert {"GRPO", "imitation", "shopsim-nano", "heuristic", "random", "human"} <= set(demo.results.head.agents)
    assert demo.results.summary("human").fidelity.deviation.value == 1
    assert demo.verified == 8, "one recording of each agent, re-executed"
    assert page.count("data:image/webp") > 10
    assert "mean reward" in page
    assert len(list(tmp_path.rglob("session.gif"))) == 8
    again: list[str] = []
    run_demo(tmp_path / "demo", seed=1, sizes=SMALL, stage=lambda name, done, total: again.append(name))
    assert {"making shoppers", "imitating people", "learning from whole sessions"} <= set(stages)
    assert not set(again) & {"making shoppers", "imitating people", "learning from whole sessions"}
