"""The kinds of logs that are known, by name or by a mapping file."""

from shopsim.benchmark_usb.importers.complete_journey import COMPLETE_JOURNEY
from shopsim.benchmark_usb.importers.jdata import JDATA
from shopsim.benchmark_usb.importers.log_format import LogFormat
from shopsim.benchmark_usb.importers.mapping_file import read_mapping
from shopsim.benchmark_usb.importers.opera import OPERA
from shopsim.benchmark_usb.importers.otto import OTTO
from shopsim.benchmark_usb.importers.rees46 import REES46
from shopsim.benchmark_usb.importers.taobao import TAOBAO
from shopsim.errors import InputError

KINDS: dict[str, LogFormat] = {log.name: log for log in (REES46, JDATA, TAOBAO, OTTO, COMPLETE_JOURNEY, OPERA)}
"""By name."""


def log_of_kind(kind: str) -> LogFormat:
    """The format of a kind of log: one of `KINDS`, or what a mapping file (``.toml``) says.

    Raises:
        DataError: The mapping file cannot be read.
        InputError: There is no such kind, or the mapping says what no format has.
    """
    if kind.endswith(".toml"):
        return read_mapping(kind)
    if kind not in KINDS:
        known = ", ".join(KINDS)
        raise InputError(f"there is no importer for {kind!r} logs; it must be {known}, or a mapping file (.toml)")
    return KINDS[kind]
