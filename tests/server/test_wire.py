"""Screens and infos over the wire come back as they were."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from shopsim.server.environments.wire import read_png, write_png


@settings(max_examples=40, deadline=None)
@given(
    arrays(np.uint8, array_shapes(min_dims=2, max_dims=2, max_side=40).map(lambda shape: (*shape, 3))),
    st.booleans(),
)
def test_pixels_come_back(pixels: np.ndarray, backwards: bool) -> None:
    if backwards:
        pixels = pixels[::-1]  # not contiguous
    again = read_png(write_png(pixels))
    assert np.array_equal(again, pixels)
    again[:] = 0  # is ours to change
