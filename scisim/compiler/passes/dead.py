"""Equations that nothing needs."""

from scisim.core.capture import live
from scisim.core.graph import Graph


def remove_dead(graph: Graph) -> Graph:
    """Equations that no output needs are dropped."""
    return Graph(graph.inputs, live(graph.equations, graph.outputs), graph.outputs, graph.name)
