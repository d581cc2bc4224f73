"""`ShopSimVectorEnv`: many shops in one, behind ``gym.make_vec("ShopSim-v0", num_envs=N)`` (SPEC 2). Ours.

It holds N single environments and drives their insides, so an episode goes as it does in one of them; only what they
return is put together here, once for all.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from os import PathLike
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from numpy.typing import NDArray

from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs.arrays import array_infos
from shopsim.envs.env import ShopSimEnv
from shopsim.envs.pool import Pool
from shopsim.envs.spaces import RawAction, read_action
from shopsim.envs.start import open_dataset
from shopsim.errors import InputError

Move = tuple[Action | None, tuple[float, float] | None]
Arrays = dict[str, NDArray[Any]]
Infos = dict[str, Any]

_ACTIONS = dict(enumerate(Action))
_VALUES = "items", "text", "page", "cart", "open_item", "effect", "invalid", "stop_reason", "screen_source"
"""What every full info holds besides its mask: one object for each environment."""


class ShopSimVectorEnv(SyncVectorEnv[Arrays, Any]):
    """N shops over one data set, with one renderer: `ShopSimEnv` many times, faster.

    Spaces, observations, rewards, seeds and infos are those of `gymnasium.vector.SyncVectorEnv` over N `ShopSimEnv`:
    after ``reset(seed=s)`` environment i goes as a `ShopSimEnv` does after ``reset(seed=s + i)``. `envs` holds them.
    `step` also takes a sequence of N single actions in the place of a dict of arrays; some of them may be None.

    Args:
        num_envs: How many.
        data: A data set, its folder or hub id; None for the small one that ships with ShopSim.
        autoreset_mode: What follows an episode's end, in Gymnasium's words: ``NextStep``, ``SameStep`` or ``Disabled``;
            with the last, ``reset(options={"reset_mask": ...})`` begins some of them again.
        copy: True for observations to keep. False for one and the same array of screens, in which each step overwrites
            what has changed.
        infos: ``full``; or ``arrays`` for cheaper infos of numbers alone: ``action_mask`` bool (N, 8), ``boxes``
            float32 (N, 8, 4), the visible cards as in `VisibleItem`, zeros behind the last, and ``item_rows`` int32
            (N, 8), their rows in the data set, -1 behind the last.
        **options: Further arguments of `ShopSimEnv`.

    Raises:
        InputError: An argument cannot be used.
    """

    envs: list[ShopSimEnv]  # type: ignore[assignment]

    def __init__(
        self,
        num_envs: int = 1,
        data: DataSet | str | PathLike[str] | None = None,
        *,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        infos: Literal["full", "arrays"] = "full",
        **options: Any,
    ) -> None:
        if not isinstance(num_envs, int | np.integer) or num_envs < 1:
            raise InputError(f"num_envs is {num_envs!r}; it must be a whole number from 1 on")
        if infos not in ("full", "arrays"):
            raise InputError(f"infos is {infos!r}; it must be 'full' or 'arrays'")
        make = partial(ShopSimEnv, open_dataset(data), **options)
        super().__init__([make] * num_envs, copy=copy, autoreset_mode=autoreset_mode)
        self._over = [False] * num_envs
        """Whose episode has ended."""
        self._arrays = infos == "arrays"
        self._drawn: list[object] = [None] * num_envs
        """Which screens the shared array holds."""
        space = self.observation_space
        assert isinstance(space, spaces.Dict)
        self._pool = Pool(space["screenshot"].shape or ()) if "screenshot" in space.spaces else None
        self._shared = self._pool.take() if self._pool else np.empty(0, np.uint8)
        """The array of screens that is handed out again and again without `copy`."""

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Arrays, Infos]:
        """Starts a session in each environment, or in those that ``options["reset_mask"]`` marks.

        Args:
            seed: One for each environment; a number s stands for s, s + 1, s + 2 ...
            options: As of `ShopSimEnv`, the same for all.
        """
        chosen: Sequence[int] = range(self.num_envs)
        if options is not None and "reset_mask" in options:
            options = dict(options)
            chosen = self._read_mask(options.pop("reset_mask"))
        seeds = (
            [None if seed is None else seed + i for i in range(self.num_envs)]
            if not isinstance(seed, Sequence)
            else seed
        )
        if len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds for {self.num_envs} environments; give one for each")
        for i in chosen:
            self._begin(i, seeds[i], options)
        return self._observe(), self._inform(chosen, chosen, {})

    def step(
        self, actions: Mapping[str, Any] | Sequence[RawAction]
    ) -> tuple[Arrays, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Infos]:
        """Does one action in each environment.

        Raises:
            ValueError: These are no actions.
            ResetNeeded: An episode is over and nothing resets it.
        """
        moves = self._read(actions)
        rewards = np.zeros(self.num_envs)
        terminated, truncated = np.zeros(self.num_envs, np.bool_), np.zeros(self.num_envs, np.bool_)
        over, begun, more = self._over, [], {}
        if self.autoreset_mode is AutoresetMode.DISABLED and True in over:
            ended = [i for i, is_over in enumerate(over) if is_over]
            raise ResetNeeded(f"the episodes of {ended} are over; reset them with options={{'reset_mask': ...}}")
        for i, (env, (action, point)) in enumerate(zip(self.envs, moves, strict=True)):
            if over[i]:
                self._begin(i)
                begun.append(i)
                continue
            paid = env._act(action, point)
            if env._stopped is None:
                continue
            rewards[i], terminated[i], truncated[i], more[i] = env._verdict(paid)
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                more[i] = {"final_obs": env._observation(), "final_info": self._info(env) | more[i]}
                self._begin(i)
                begun.append(i)
            else:
                over[i] = True
        if self.render_mode == "human":
            self.render()
        return self._observe(), rewards, terminated, truncated, self._inform(range(self.num_envs), begun, more)

    # Inner workings

    def _begin(self, i: int, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._over[i], self._drawn[i] = False, None
        self.envs[i]._begin(seed, options)

    def _observe(self) -> Arrays:
        shops = [env.shop for env in self.envs]
        seen: Arrays = {
            "page": np.frombuffer(bytes([shop.place.page for shop in shops]), np.uint8).astype(np.int64),
            "cart": np.array([len(shop.cart) for shop in shops], np.int64),
            "step": np.array([len(shop.trajectory.events) for shop in shops], np.int64),
        }
        if self._pool is not None and self.copy:
            screens = seen["screenshot"] = self._pool.take()
            for i, shop in enumerate(shops):
                self.envs[i]._view.pixels(shop, screens[i])
        elif self._pool is not None:
            # On one data set, equal places and deals look the same in one session.
            now = [(shop.place, shop.deals) for shop in shops]
            for i, (old, new) in enumerate(zip(self._drawn, now, strict=True)):
                if old != new:
                    self.envs[i]._view.pixels(shops[i], self._shared[i])
            self._drawn[:] = now
            seen["screenshot"] = self._shared
        return seen

    def _inform(self, told: Sequence[int], begun: Iterable[int], more: dict[int, Infos]) -> Infos:
        """Infos of the environments in `told`, batched as Gymnasium does."""
        if not self._arrays:
            infos = {i: self.envs[i]._info() for i in told}
            for i in begun:
                infos[i] |= self.envs[i]._start_info()
            for i, extra in more.items():
                infos[i] |= extra
            return self._batched(infos)
        batched: Infos = dict(array_infos([env.shop for env in self.envs]))
        batched |= {f"_{name}": np.ones(self.num_envs, np.bool_) for name in batched}
        for i, extra in more.items():
            extra.pop("reward_parts", None)
            batched = self._add_info(batched, extra, i)
        return batched

    def _info(self, env: ShopSimEnv) -> Infos:
        if not self._arrays:
            return env._info()
        return {name: values[0] for name, values in array_infos([env.shop]).items()}

    def _batched(self, infos: dict[int, Infos]) -> Infos:
        batched: Infos = {}
        if len(infos) == self.num_envs:  # what all have, column by column; `_add_info` goes one by one
            for name in _VALUES:
                batched[name] = np.fromiter([info.pop(name) for info in infos.values()], object, self.num_envs)
            masks = [info.pop("action_mask") for info in infos.values()]
            batched["action_mask"] = np.concatenate(masks).reshape(self.num_envs, len(Action))
            batched |= {f"_{name}": np.ones(self.num_envs, np.bool_) for name in batched}
        for i, info in infos.items():
            if info:
                batched = self._add_info(batched, info, i)
        return batched

    def _read(self, actions: Mapping[str, Any] | Sequence[RawAction]) -> Iterable[Move]:
        n = self.num_envs
        if isinstance(actions, Mapping):
            numbers, points = (np.asarray(actions.get(name)) for name in ("action", "point"))
            if len(actions) == 2 and numbers.dtype.kind in "iu" and (numbers.shape, points.shape) == ((n,), (n, 2)):
                # NaN fails the comparison.
                inside = points.dtype.kind == "f" and points.min() >= 0.0 and points.max() <= 1.0
                chosen = [_ACTIONS.get(number) for number in numbers.tolist()]
                if inside and None not in chosen:
                    return zip(chosen, map(tuple, points.tolist()), strict=True)
            for name, values in actions.items():
                if np.shape(values)[:1] != (n,):
                    raise ValueError(
                        f"{name} has shape {np.shape(values)}; its first axis must be the {n} environments"
                    )
            actions = [{name: values[i] for name, values in actions.items()} for i in range(n)]
        if not isinstance(actions, Sequence) or isinstance(actions, str):
            raise ValueError(f"{actions!r} are no actions; they must be a dict of arrays, or a sequence of {n} actions")
        if len(actions) != n:
            raise ValueError(f"{len(actions)} actions for {n} environments; give one for each")
        return [read_action(action) for action in actions]

    def _read_mask(self, mask: Any) -> list[int]:
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise ValueError(f"reset_mask is {mask!r}; it must be a bool array of shape ({self.num_envs},)")
        if not mask.any():
            raise ValueError("reset_mask marks no environment")
        chosen: list[int] = np.flatnonzero(mask).tolist()
        return chosen
