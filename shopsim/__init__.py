"""ShopSim: an environment, a benchmark, agents and trainers for shopping like a person."""

from gymnasium.envs.registration import register

__version__ = "0.1.0"

register(
    id="ShopSim-v0",
    entry_point="shopsim.envs.env:ShopSimEnv",
    vector_entry_point="shopsim.envs.vector_env:ShopSimVectorEnv",
)
register(id="ShopSimReplay-v0", entry_point="shopsim.envs.replay_env:ShopSimReplayEnv")
register(id="ShopSimRemote-v0", entry_point="shopsim.server.remote:RemoteShopSimEnv")
