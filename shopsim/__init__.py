"""ShopSim: an environment, a benchmark, agents and trainers for shopping like a person."""

__version__ = "0.1.0"
