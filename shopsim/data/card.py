"""The card of a data set: its generated ``README.md`` (SPEC 3)."""

import json

from shopsim.data.manifest import Manifest

_ORIGINS = {
    "synthetic": "Made by a program. No row describes a real person or a real product.",
    "imported": "Converted from a log of a real shop; what the log did not hold is imputed, see below.",
    "recorded": "Recorded from people shopping in ShopSim.",
}


def text(manifest: Manifest) -> str:
    """The card as Markdown; its front matter tells the hub and `datasets.load_dataset` where the tables are."""
    tables = [name for name in manifest.files if name.endswith(".parquet")]
    configs = "\n".join(f"- config_name: {name.removesuffix('.parquet')}\n  data_files: {name}" for name in tables)
    counts = "\n".join(f"| {name.replace('_', ' ')} | {n} |" for name, n in manifest.counts.model_dump().items())
    imputed = ", ".join(manifest.imputed) if manifest.imputed else "nothing"
    made = ""
    if manifest.generator is not None:
        settings = json.dumps(manifest.generator.model_dump(), ensure_ascii=False, sort_keys=True)
        made = f"\nMade with `{settings}`.\n"
    # Quoted as JSON, which YAML reads as it is.
    name, licence = (json.dumps(value, ensure_ascii=False) for value in (manifest.name, manifest.licence))
    return f"""---
pretty_name: {name}
language:
- {manifest.locale}
license: other
license_name: {licence}
tags:
- shopsim
configs:
{configs}
---

# {manifest.name}

Sessions of mobile shopping in the layout "usb", version {manifest.version}: categories, items, users, sessions and
their steps as Parquet files. `manifest.json` holds the SHA-256 of each. Prices are in {manifest.currency}.

| | rows |
|---|---|
{counts}

## Origin

{_ORIGINS[manifest.source]}
{made}
## Licence

{manifest.licence}

## Intended use

Simulating and evaluating shopping agents with ShopSim (`shopsim.data.DataSet.open`), and other research on how people
shop. Not for inferring anything about single persons.

## Imputed

Filled in, not observed: {imputed}. In `steps.parquet` the column `imputed` marks the single steps.
"""
