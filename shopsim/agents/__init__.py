"""Agents, the models behind them, and the one collector of rollouts (SPEC 5)."""
