"""What clients send and get, as schemas; OpenEnv's names (its RFC 002) where it has one. Ours."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from shopsim.envs.env import ShopSimEnv
from shopsim.envs.replay_env import ShopSimReplayEnv
from shopsim.errors import InputError

ENVIRONMENTS: dict[str, type[ShopSimEnv]] = {"ShopSim-v0": ShopSimEnv, "ShopSimReplay-v0": ShopSimReplayEnv}
DEFAULT_ENV = "ShopSim-v0"
_MOST_PIXELS = 1 << 23
_FREE_ONLY = ("max_steps", "stuck_after", "scroll_fraction", "feed")


class MakeOptions(BaseModel):
    """Which environment, and its arguments; what they mean and their defaults are the environment's."""

    model_config = ConfigDict(extra="forbid")

    env: Literal["ShopSim-v0", "ShopSimReplay-v0"] = Field(
        default="ShopSim-v0", description="Free running or teacher forced."
    )
    data: str | None = Field(default=None, description="Name of a data set in `/metadata`; none for the first.")
    split: str | None = Field(default="train", description="Draw sessions of this split; null for all.")
    reward: Literal["trajectory", "shop-r1"] | None = Field(default="trajectory", description="What is paid.")
    max_steps: int | Literal["longest"] | None = Field(default="longest", description="Steps that cut the episode off.")
    stuck_after: int | None = Field(default=5, description="Steps without effect in a row that cut it off.")
    size: tuple[int, int] = Field(default=(320, 608), description="Width and height of the screenshot in pixels.")
    scroll_fraction: float | None = Field(default=None, description="Share of the viewport that one scroll moves.")
    feed: Literal["recorded", "random", "popularity", "price_ascending", "similar"] = Field(
        default="recorded", description="Feed policy."
    )
    privileged: bool = Field(default=False, description="Whether infos carry the hidden truth.")
    pixels: bool = Field(default=True, description="Whether observations have a screenshot.")
    theme: str = Field(default="light", description="`light` or `dark`.")
    render_mode: Literal["rgb_array", "ansi"] | None = Field(default=None, description="What `render` gives.")

    def arguments(self) -> dict[str, Any]:
        """The arguments that were given.

        Raises:
            InputError: The environment does not take one of them, or the screen is too large to send.
        """
        given = {name: getattr(self, name) for name in MakeOptions.model_fields if name in self.model_fields_set}
        free = given.get("env", DEFAULT_ENV) == DEFAULT_ENV
        if not free and (wrong := [name for name in _FREE_ONLY if name in given]):
            raise InputError(f"ShopSimReplay-v0 takes no {', '.join(wrong)}: the recording decides")
        width, height = self.size
        if width * height > _MOST_PIXELS:
            raise InputError(f"a screen of {width}x{height} is too large to serve; it may have {_MOST_PIXELS} pixels")
        return given


class ResetRequest(MakeOptions):
    """Starts an episode. Arguments of the environment hold until others are given; then it is made anew."""

    seed: int | None = Field(default=None, ge=0, description="Same seed, same episode.")
    options: dict[str, Any] | None = Field(
        default=None,
        description="`session_id`: a recorded session of the split; `persona`: text in place of the user's own.",
    )
    episode_id: str | None = Field(default=None, max_length=255, description="A name, told back in the state.")
    handle: str | None = Field(default=None, description="HTTP only: the environment to go on with, or a new one.")


class Action(BaseModel):
    """One action; what the eight do is in the manual of `ShopSimEnv`."""

    model_config = ConfigDict(extra="forbid")

    action: int | None = Field(
        description="0 scroll_down, 1 scroll_up, 2 click, 3 enter_detail, 4 back, 5 add_to_cart, 6 purchase, "
        "7 terminate; null for an answer that could not be read."
    )
    point: tuple[float, float] | None = Field(
        default=None, description="Shares of the screen, (0, 0) its top left corner; for click and enter_detail."
    )
    metadata: dict[str, Any] | None = Field(default=None, description="Ignored.")


class StepRequest(BaseModel):
    """Does one action."""

    model_config = ConfigDict(extra="forbid")

    action: dict[str, Any] = Field(description="An `Action`.")
    handle: str = Field(description="The environment: `metadata.handle` of the reset.")
    timeout_s: float | None = Field(default=None, gt=0, description="Ignored: a step takes milliseconds.")
    request_id: str | None = Field(default=None, max_length=255, description="Ignored.")


class Observation(BaseModel):
    """What the shopper sees."""

    page: int = Field(description="0 feed, 1 preview, 2 detail.")
    cart: int = Field(description="Items in the cart.")
    step: int = Field(description="Steps taken.")
    screenshot: str | None = Field(
        default=None,
        description="The screen; absent with `pixels: false`.",
        json_schema_extra={"contentEncoding": "base64", "contentMediaType": "image/png"},
    )


class Metadata(BaseModel):
    """What else an environment says."""

    terminated: bool = Field(description="The shopper left, or the recording ended.")
    truncated: bool = Field(description="The episode was cut off.")
    info: dict[str, Any] = Field(description="Gymnasium's info, as the manual of `ShopSimEnv` has it.")
    handle: str | None = Field(default=None, description="HTTP only: names the environment in later requests.")


class Reply(BaseModel):
    """The answer to a reset or a step."""

    observation: Observation
    reward: float | None = Field(description="Null after a reset.")
    done: bool = Field(description="Whether the episode is over.")
    metadata: Metadata


class State(BaseModel):
    """Where an environment stands."""

    episode_id: str | None = Field(description="The name given at the reset.")
    step_count: int = Field(description="Steps taken in this episode.")
    env: str = Field(description="Which environment.")
    data: str = Field(description="The data set's name.")
    session_id: str | None = Field(description="The recorded session played; null before the first reset.")
    seed: int | None = Field(description="Seed of the episode.")


class About(BaseModel):
    """What this server is."""

    name: str
    description: str
    version: str
    data: list[str] = Field(description="Names of the data sets.")
    sessions: int = Field(description="Environments in use.")
    capacity: int = Field(description="Environments at one time.")


class Schemas(BaseModel):
    """JSON schemas of what goes over the wire."""

    action: dict[str, Any]
    observation: dict[str, Any]
    state: dict[str, Any]
