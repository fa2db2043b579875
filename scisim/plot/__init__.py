"""Pictures of runs, drawn from plain NumPy arrays and saved as PNG, PDF or SVG.

Matplotlib loads at the first picture, without a display; `pip install "scisim[plot]"` brings it.
"""

from scisim.plot.training import comparison, history, training_report

__all__ = ["comparison", "history", "training_report"]
