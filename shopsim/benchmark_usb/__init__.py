"""The USB benchmark: data sets made and imported, scores against people, runs, comparisons, reports."""
