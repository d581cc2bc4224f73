"""The data layout "usb" (SPEC 3): records, reader, writer and checks.

`DataSet` reads, `DataSetWriter` writes, `check` looks for what is wrong, `build_index` makes a folder quick to open.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shopsim.data.index import build_index
    from shopsim.data.manifest import Problem
    from shopsim.data.reader import DataSet
    from shopsim.data.validate import check
    from shopsim.data.writer import DataSetWriter

__all__ = ["DataSet", "DataSetWriter", "Problem", "build_index", "check"]

_HOMES = {
    "DataSet": "reader",
    "DataSetWriter": "writer",
    "Problem": "manifest",
    "build_index": "index",
    "check": "validate",
}


def __getattr__(name: str) -> Any:
    """Loads each name on first use, so that reading needs neither pyarrow nor pydantic."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
