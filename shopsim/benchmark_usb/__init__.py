"""The USB benchmark: data sets made and imported, scores against people, runs, comparisons, reports."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shopsim.benchmark_usb.importers.importing import import_log
    from shopsim.benchmark_usb.page import Report
    from shopsim.benchmark_usb.replay_check import validate
    from shopsim.benchmark_usb.report import write_report
    from shopsim.benchmark_usb.results import Results, StepResults
    from shopsim.benchmark_usb.roster import AgentSpec
    from shopsim.benchmark_usb.run import run_benchmark, run_steps
    from shopsim.benchmark_usb.synthetic import make_synthetic

__all__ = [
    "AgentSpec", "Report", "Results", "StepResults", "import_log", "make_synthetic", "run_benchmark", "run_steps",
    "validate", "write_report",
]  # fmt: skip

_HOMES = {
    "AgentSpec": "roster",
    "Report": "page",
    "Results": "results",
    "StepResults": "results",
    "import_log": "importers.importing",
    "make_synthetic": "synthetic",
    "run_benchmark": "run",
    "run_steps": "run",
    "validate": "replay_check",
    "write_report": "report",
}


def __getattr__(name: str) -> Any:
    """Loads each name on first use, so that one part needs nothing of the others."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
