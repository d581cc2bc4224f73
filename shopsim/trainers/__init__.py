"""Trainers: imitation of recorded people, then GRPO on whole trajectories (SPEC 6)."""
