"""The graph, compiled with a saver and put behind `Desk`."""

from signoff.graph.builder import builder
from signoff.graph.desk import Desk
from signoff.graph.replay import Replay
from signoff.graph.turn import Event, Step, Turn

__all__ = ["Desk", "Event", "Replay", "Step", "Turn", "builder"]
