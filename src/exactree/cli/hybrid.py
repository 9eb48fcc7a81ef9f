"""``exactree hybrid``: an optimal tree with a model in every leaf that needs one."""

import sys
import time
from argparse import Namespace
from typing import Any

from exactree.cli.arguments import EXIT_CODES, JSON, Parser
from exactree.cli.options.table import add_budget, add_class_weight, add_columns, add_limits

PROVED, NOT_PROVED = 0, 3
CODES = EXIT_CODES.replace("for fit: the tree is", "the tree is").replace("fit: a tree", "a tree")
LEAF_MODELS = ("boosting", "xgboost", "logistic", "network")

DESCRIPTION = """\
Fit an optimal tree, and in every leaf with enough rows of several classes a model of your choice.
The report says for each leaf how often its class is right, and how often its model is.

DATA is a CSV or TSV file (also .gz), a Parquet file, or a name from 'exactree datasets'.
"""

EXAMPLES = """\
examples:
  exactree hybrid data.csv --target class --max-depth 2
  exactree hybrid train.csv --max-depth 2 --leaf-model logistic --test test.csv -o hybrid.zip
  exactree predict hybrid.zip new.csv

What -o writes, predict, show, explain, leaf-report and counterfactual read, and exactree.load_hybrid in Python. It is a
ZIP archive of the tree as JSON and the models as a pickle. A pickle can run code when it is read: these commands let it
name classes of scikit-learn, XGBoost, NumPy and exactree only, but read files from people you trust.

"""


def add_parser(commands: Any) -> Parser:
    """Add the command and its options."""
    parser: Parser = commands.add_parser(
        "hybrid",
        usage="exactree hybrid DATA --target NAME [options]",
        help="learn an optimal tree with models in its leaves",
        description=DESCRIPTION,
        epilog=EXAMPLES + CODES,
    )
    parser.add_argument("data", metavar="DATA", help="file, or name of a data set")
    add_columns(parser.add_argument_group("columns"))
    add_limits(parser.add_argument_group("which trees are allowed"))
    leaves = parser.add_argument_group("models in leaves")
    leaves.add_argument(
        "--leaf-model", choices=LEAF_MODELS, default="boosting", metavar="NAME", help=f"{', '.join(LEAF_MODELS)}"
    )
    leaves.add_argument("--min-rows", metavar="N", type=int, default=50, help="rows that a model needs (default: 50)")
    add_class_weight(leaves)
    search = parser.add_argument_group("the search for the tree")
    add_budget(search)
    search.add_argument("--seed", metavar="N", type=int, help="for models in leaves that draw at random")
    results = parser.add_argument_group("results")
    results.add_argument("--test", metavar="FILE", help="labelled rows to report on, instead of the training rows")
    results.add_argument("-o", "--output", metavar="FILE", help="save tree and models, as a ZIP archive")
    results.add_argument("--svg", metavar="FILE", help="draw the tree")
    results.add_argument("--json", action="store_true", help=JSON)
    return parser


def run(options: Namespace) -> int:
    """Read, fit, report."""
    from exactree.cli import report, saved, summary, training
    from exactree.estimators import save_hybrid
    from exactree.export import to_text
    from exactree.plot import save_svg

    began = time.monotonic()
    report.writable(options.output, "--output")
    _refuse_other_files(options.output)
    report.drawable(options.svg)
    task = training.read_task(options)
    test = None if options.test is None else training.read_task(Namespace(**(vars(options) | {"data": options.test})))
    hybrid = _fitted(options, task, training.seconds_left(options, began))
    found = hybrid.report_ if test is None else hybrid.leaf_report(test.X, test.y)
    tree = hybrid.tree_estimator_
    about = summary.about_fit(tree, task.target)
    if options.output is not None:
        save_hybrid(hybrid, options.output, about)
    if options.svg is not None:
        save_svg(hybrid.tree_, options.svg)
    if options.json:
        report.write_json({**saved.as_json(about), **_as_json(hybrid, found, options)})
        return PROVED if tree.is_optimal_ else NOT_PROVED
    wrote = [f"wrote {path}\n" for path in (options.output, options.svg) if path is not None]
    rows = "training rows" if test is None else f"rows of {options.test}"
    sys.stdout.write(f"{to_text(hybrid.tree_)}\n\n{saved.verdict(about)}\n{rows}:\n{found}\n{''.join(wrote)}")
    return PROVED if tree.is_optimal_ else NOT_PROVED


def _fitted(options: Namespace, task: Any, seconds: float | None) -> Any:
    import warnings

    from exactree.cli import training
    from exactree.estimators import HybridTreeClassifier, NotProvedWarning, OptimalTreeClassifier

    tree = OptimalTreeClassifier(**training.tree_parameters(options, task, seconds))
    hybrid = HybridTreeClassifier(
        tree,
        _leaf_estimator(options.leaf_model),
        min_rows=options.min_rows,
        time_limit=seconds,
        random_state=options.seed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotProvedWarning)
        return hybrid.fit(task.X, task.y, sample_weight=task.weights)


def _leaf_estimator(name: str) -> Any:
    """Return what is fitted in leaves; None is boosting."""
    if name == "logistic":
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(max_iter=1000)
    if name == "network":
        from sklearn.neural_network import MLPClassifier

        return MLPClassifier(hidden_layer_sizes=(10,), max_iter=1000)
    return "xgboost" if name == "xgboost" else None


def _refuse_other_files(path: str | None) -> None:
    """Refuse a name that promises another kind of file."""
    from pathlib import Path

    from exactree.errors import InputError

    if path is not None and Path(path).suffix.lower() in (".json", ".pickle", ".pkl"):
        raise InputError(
            f"--output writes a ZIP archive, and {path!r} is no name for one. Name it {Path(path).stem}.zip."
        )


def _as_json(hybrid: Any, found: Any, options: Namespace) -> dict[str, Any]:
    from exactree.cli import report
    from exactree.export import to_text

    return {
        **report.of_leaves(found),
        "tree_proved": bool(getattr(hybrid.tree_estimator_, "is_optimal_", False)),
        "allowed": hybrid.scope_,
        "tree": to_text(hybrid.tree_),
        "paths": {"model": options.output, "svg": options.svg},
    }
