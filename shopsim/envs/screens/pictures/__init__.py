"""Product pictures, drawn from the picture struct of an item: `gallery` finds the drawing, `sketch` has the tools."""
