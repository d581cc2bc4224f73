"""Personas: built in, one's own, and what is wrong with a file of them."""

from pathlib import Path

import pytest

from shopsim.agents.personas import load_personas
from shopsim.data.vocabulary import Action
from shopsim.envs.reward import TrajectoryReward
from shopsim.errors import InputError


def test_the_built_in_personas_speak_both_languages_and_weigh_differently() -> None:
    personas = load_personas()
    assert list(personas) == ["bargain-hunter", "spec-reader", "looks-first"]
    for persona in personas.values():
        assert persona.text("en") != persona.text("zh")
        assert persona.text("fr") == persona.text("en")
        assert persona.reward() != TrajectoryReward()
    assert personas["spec-reader"].reward().weights[Action.ENTER_DETAIL] == 3.0


def test_personas_of_ones_own_come_beside_and_before_the_built_in(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[night-owl]\nen = "Shops at night."\ntaste = { patience = 20.0 }\n[looks-first]\nen = "Other."\n')
    personas = load_personas(file)
    assert set(personas) == {"bargain-hunter", "spec-reader", "looks-first", "night-owl"}
    assert personas["night-owl"].taste.patience == 20.0
    assert personas["night-owl"].reward() == TrajectoryReward()
    assert personas["looks-first"].text("en") == "Other."


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[a\n", "cannot be read"),
        ("a = 1\n", "no table"),
        ("[a]\ntaste = { read = 1.0 }\n", "has no text"),
        ('[a]\nen = "x"\nsize = 3\n', "has size"),
        ('[a]\nen = "x"\ntaste = { speed = 1.0 }\n', "speed"),
        ('[a]\nen = "x"\nweights = { swipe = 1.0 }\n', "swipe"),
        ('[a]\nen = "x"\nweights = { click = -1.0 }\n', "positive"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(content)
    with pytest.raises(InputError, match=message) as error:
        load_personas(file)
    assert "mine.toml" in str(error.value)
    with pytest.raises(InputError, match="cannot be read"):
        load_personas(tmp_path / "nowhere.toml")
