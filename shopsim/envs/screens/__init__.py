"""What the shop looks like: the page model and what reads it (SPEC 2.3).

`pages` turns a shop's state into boxes with content, `text_view` writes them as text, `renderer` paints them,
`overlay` puts a painted screen into a phone. The first two need neither Pillow nor a font.
"""
