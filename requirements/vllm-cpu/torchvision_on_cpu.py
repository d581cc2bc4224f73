"""Lets PyPI's torchvision be imported beside a CPU build of torch; of use to `make vllm-check` alone.

Its compiled operators are made for CUDA and do not load, and torchvision then misses the two it describes at import.
Declaring them first is enough: nothing here calls them. Put on the path with a ``.pth`` file that imports it.
"""

import sys
from importlib.abc import MetaPathFinder
from typing import Any

_kept: list[Any] = []


class _BeforeTorchvision(MetaPathFinder):
    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        if fullname == "torchvision":
            sys.meta_path.remove(self)
            import torch

            library = torch.library.Library("torchvision", "DEF")
            library.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
            library.define("qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
            _kept.append(library)  # an operator lives as long as its library


sys.meta_path.insert(0, _BeforeTorchvision())
