"""The three-tier memory of an agent (SPEC 5): working, episodic, preference."""

from shopsim.memory.budget import count_words, shorten
from shopsim.memory.three_tier import Counters, Event, Recall, Record, ThreeTierMemory

__all__ = ["Counters", "Event", "Recall", "Record", "ThreeTierMemory", "count_words", "shorten"]
