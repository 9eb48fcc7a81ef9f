"""Rows for a saved model, read as the model wants them."""

from argparse import Namespace

from exactree.cli import data
from exactree.cli.predict import asked_target, checked, target_in, text_columns
from exactree.model import About, Graph
from exactree.table import Frame


def table_of(text: str, options: Namespace, graph: Graph, about: About | None) -> Frame:
    """Read the columns that a model was fitted on; the target may be there too and is left out."""
    asked = asked_target(None, graph.schema, about)
    strings = text_columns(graph, asked)
    frame = data.read(text, missing=options.missing, delimiter=options.delimiter, strings=strings)
    return checked(frame, graph.schema, target_in(frame, asked, graph.schema))
