"""The command line of ``exactree-bench``.

Nothing heavy is imported here, so that ``--help`` is fast.
"""

import argparse

from exactree.cli.arguments import Parser, names, seconds

BENCH = """\
Run exactree and its peers side by side: every fit in its own process, contestants in turn, errors recounted from the
predictions and compared along with time and memory. Finished fits are kept in the output folder, so that an
interrupted suite resumes; fits of another version or under other limits are run again.
Without a suite, all suites are listed.

The tables are not part of the package: --data or EXACTREE_DATA names their folder.
"""

BENCH_EXAMPLES = """\
examples:
  exactree-bench                                           list the suites
  exactree-bench peers-binary --sets vote,anneal --depths 4
  exactree-bench dl85-table2 --time-limit 600 --output results
  exactree-bench odd-table1 --sets smallest15 --seeds 1 --alphas 0.1,0.5 --limit 60 --jobs 2
  exactree-bench odd-table1 --backend dask --jobs 64       run on a cluster (DASK_SCHEDULER_ADDRESS)

exit codes:
  0  all results agree, and all published or known results were reproduced
  1  two results contradict each other, or a known optimum: there is a bug
  2  wrong option or file
  3  no contradiction, but not everything was reproduced within the limits
"""


MOST = 10_000  # seeds in one range


def read(argv: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = Parser(
        prog="exactree-bench", usage="exactree-bench [SUITE] [options]", description=BENCH, epilog=BENCH_EXAMPLES
    )
    parser.add_argument("suite", metavar="SUITE", nargs="?", help="suite to run; without it, all are listed")
    parser.add_argument("--data", metavar="FOLDER", help="folder of benchmark tables (default: EXACTREE_DATA)")
    parser.add_argument("--sets", metavar="A,B", type=names, help="only these tables (default: all of the suite)")
    parser.add_argument("--contestants", metavar="A,B", type=names, help="only these (default: all of the suite)")
    parser.add_argument("--depths", metavar="D,E", type=depths, help="such as 2,3,4 (default: those of the suite)")
    _add_limits(parser)
    some = "1,2,3,4,5 for odd-..., 0-4 for cgh-table3"
    parser.add_argument("--seeds", metavar="N,M", type=seeds, help=f"of seeded splits, such as 0-9 (default: {some})")
    several = "errors after each of these in anytime (default: 0.1,0.3,1,3,10,60 up to --time-limit)"
    parser.add_argument("--ladder", metavar="S,T", type=positive_numbers, help=several)
    leaf = "of a leaf in sparse, as shares of the rows (default: 0.05,0.02,0.01,0.005)"
    parser.add_argument("--prices", metavar="A,B", type=positive_numbers, help=leaf)
    _add_grid(parser.add_argument_group("suites of diagrams (odd-...)"))
    parser.add_argument("-o", "--output", metavar="DIR", default="exactree-bench", help="default: exactree-bench")
    again = parser.add_mutually_exclusive_group()
    again.add_argument("--resume", dest="fresh", action="store_false", help="keep finished fits (the default)")
    again.add_argument("--fresh", action="store_true", help="discard finished fits and run everything again")
    parser.set_defaults(fresh=False)  # of two actions for one name the first would set the default
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    options, unknown = parser.parse_known_args(argv)
    if unknown:
        parser.refuse(unknown)
    return options


def _add_limits(parser: Parser) -> None:
    taken = "per fit (default: 60; 600 for the tables of BinOCT, as in the paper)"
    parser.add_argument(
        "--time-limit", "--limit", metavar="SECONDS", type=seconds, default=argparse.SUPPRESS, help=taken
    )
    parser.add_argument(
        "--memory-limit",
        metavar="SIZE",
        default="4GB",
        help="per fit, above what its process uses before (default: 4GB; 'none': no limit)",
    )
    parser.add_argument("--repeat", metavar="N", type=int, default=3, help="repeats of a short fit (default: 3)")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="fits in parallel (default: 1)")
    parser.add_argument(
        "--backend",
        metavar="NAME",
        help="joblib backend: loky, threading, dask or ray (default: processes of this machine)",
    )


def _add_grid(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--alphas", metavar="A,B", type=alphas, help="penalties per node (default: 0.01,0.1,0.2,0.5,1)")
    group.add_argument("--skeletons", metavar="A,B", type=names, help="of I, II, III, IV, tree (default: all)")
    group.add_argument("--splits", metavar="A,B", type=names, help="of univariate (default), multivariate")


def depths(text: str) -> tuple[int, ...]:
    """Parse depths; sorted, without duplicates.

    Examples
    --------
    >>> depths("4,2,4")
    (2, 4)
    """
    try:
        found = sorted({int(depth) for depth in text.split(",")})
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a list of depths such as 2,3,4; got {text!r}") from None
    if found[0] < 1:
        raise argparse.ArgumentTypeError(f"a depth must be 1 or more; got {found[0]}")
    return tuple(found)


def seeds(text: str) -> tuple[int, ...]:
    """Parse integers and ranges of integers; sorted, without duplicates.

    Examples
    --------
    >>> seeds("2,1,2"), seeds("0-3,7")
    ((1, 2), (0, 1, 2, 3, 7))
    """
    found: set[int] = set()
    for part in text.replace(" ", "").split(","):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not (last.isdecimal() and int(first) <= int(last) < int(first) + MOST)):
            raise argparse.ArgumentTypeError(f"expected a list of integers such as 1,2,3 or 0-9; got {text!r}")
        found |= set(range(int(first), int(last or first) + 1))
    return tuple(sorted(found))


def alphas(text: str) -> tuple[float, ...]:
    """Parse penalties; sorted, without duplicates.

    Examples
    --------
    >>> alphas("0.5,0.1")
    (0.1, 0.5)
    """
    try:
        found = sorted({float(alpha) for alpha in text.split(",")})
    except ValueError:
        found = [-1.0]
    if not 0 <= found[0] <= found[-1] < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a list of numbers, 0 or more, such as 0.1,0.5; got {text!r}")
    return tuple(found)


def positive_numbers(text: str) -> tuple[float, ...]:
    """Parse seconds or prices; sorted, without duplicates.

    Examples
    --------
    >>> positive_numbers("10,0.3")
    (0.3, 10.0)
    """
    found = alphas(text)
    if found[0] == 0:
        raise argparse.ArgumentTypeError(f"each number must be above 0; got {text!r}")
    return found
