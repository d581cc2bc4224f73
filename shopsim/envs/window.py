"""A plain window for `render_mode="human"`, from the standard library."""

import tkinter

import numpy as np
from numpy.typing import NDArray


class Window:
    """Shows frames until it is closed."""

    def __init__(self) -> None:
        self._root: tkinter.Tk | None = tkinter.Tk()
        self._root.title("ShopSim")
        self._root.resizable(False, False)
        self._root.protocol("WM_DELETE_WINDOW", self.close)
        self._label = tkinter.Label(self._root, borderwidth=0)
        self._label.pack()

    def show(self, frame: NDArray[np.uint8]) -> None:
        """Shows a frame (height, width, 3) and returns at once; nothing once the window is closed."""
        if self._root is None:
            return
        height, width, _ = frame.shape
        self._image = tkinter.PhotoImage(data=b"P6 %d %d 255 " % (width, height) + frame.tobytes(), format="PPM")
        self._label.configure(image=self._image)
        self._root.update()

    def close(self) -> None:
        """Closes the window; again does nothing."""
        if self._root is not None:
            self._root.destroy()
            self._root = None


def open_window() -> Window | None:
    """A window, or None where there is no screen to open one on."""
    try:
        return Window()
    except tkinter.TclError:
        return None
