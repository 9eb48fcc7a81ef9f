"""``exactree predict``: answer for every row of a table with a saved model."""

from argparse import Namespace
from typing import Any

from exactree.cli.arguments import Parser, add_model, add_reading

HEADER = "prediction"  # of the column of answers if neither the model nor the user says what the target is called

EXAMPLES = """\
examples:
  exactree predict model.json new.csv
  exactree predict model.json new.csv --proba -o answers.csv

Columns are found by name; their order does not matter, and columns the model does not know are ignored.
Cells that mean missing are not part of the model: give the same --missing as for fit.
If the table has the target column too, the accuracy is printed on stderr.
"""


def add_parser(commands: Any) -> Parser:
    """Add the command and its options."""
    parser: Parser = commands.add_parser(
        "predict",
        usage="exactree predict MODEL DATA [options]",
        help="answer for the rows of a table",
        description="Answer for every row of a table with a saved model; writes CSV.",
        epilog=EXAMPLES,
    )
    add_model(parser)
    parser.add_argument("data", metavar="DATA", help="file, or name of a data set")
    parser.add_argument("-o", "--output", metavar="FILE", help="write here instead of stdout")
    parser.add_argument(
        "--target", metavar="NAME", help="column to compare with the answers (default: the one the model was fitted to)"
    )
    parser.add_argument("--proba", action="store_true", help="add one column of probabilities per class")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of CSV")
    add_reading(parser)
    return parser


def run(options: Namespace) -> int:
    """Read model and table, answer, write CSV or JSON; accuracy and notes go to stderr."""
    from exactree.cli import report, saved
    from exactree.cli.accuracy import accuracy_on
    from exactree.cli.reading import rows_for
    from exactree.cli.rows import write_csv

    report.writable(options.output, "--output")
    model = saved.read(options)
    graph = model.graph
    frame, target, rows = rows_for(options.data, options, graph, model.about, target=options.target)
    answers = model.predict(rows)
    shares = model.predict_proba(rows) if options.proba else None
    accuracy = accuracy_on(frame.column(target), answers) if target in frame.names else None
    if options.json:
        content: dict[str, Any] = {"classes": graph.classes.tolist(), "predictions": answers.tolist()}
        if shares is not None:  # one list per row, in the order of the classes
            content["probabilities"] = shares.tolist()
        report.write_json(content | {"n_rows": len(answers), "accuracy": accuracy}, options.output)
        return 0
    columns = [answers.tolist()] + ([] if shares is None else shares.T.tolist())
    names = [] if shares is None else [f"probability {label}" for label in graph.classes.tolist()]
    write_csv([target or HEADER, *names], columns, options.output)
    return 0
