"""Table 1 of ODD: how often a diagram is proved optimal, or better than the heuristic's."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar

from exactree_bench import formatting
from exactree_bench.published.odd import CELLS_1, PROVED_OR_IMPROVED_SHARE, PROVED_SHARE, RUNS_PER_CELL
from exactree_bench.runner.job import Match
from exactree_bench.runner.results import Results
from exactree_bench.suites.interface import Report, Section, Settings, Suite, common_notes
from exactree_bench.suites.odd.plan import (
    ACCEPTED,
    RUNS_FILE,
    SOLVERS,
    TOLERANCE,
    Run,
    disagreements,
    failures,
    grid,
    matches,
    runs,
    skeleton_of,
)

COUNTED = ("runs", "proved", "improved", "same", "better than step 1")


class OddTable1(Suite):
    """Proofs and improvements, by skeleton and penalty per node."""

    name: ClassVar[str] = "odd-table1"
    about: ClassVar[str] = (
        "optimal diagrams: proofs and improvements on 54 sets, five skeletons, five penalties per node"
    )
    accepts: ClassVar[tuple[str, ...]] = ACCEPTED

    @property
    def runs(self) -> str:
        """One file for all suites of diagrams: they report the same fits."""
        return RUNS_FILE

    def plan(self, settings: Settings, results: Results) -> list[Match]:
        """Return one match per seed, skeleton, penalty and set."""
        return matches(settings, grid(settings))

    def report(self, settings: Settings, results: Results) -> Report:
        """Count as the paper does, and compare."""
        layers = grid(settings)
        found = runs(settings, results, layers)
        solvers = [solver for solver in SOLVERS if any(run.solver == solver for run in found)]
        return Report(
            sections=(
                _summary(found, solvers),
                *(_cells([run for run in found if run.solver == solver], solver) for solver in solvers),
                _by_set(found, solvers),
                *([_duel(found)] if len(solvers) > 1 else []),
            ),
            contradictions=tuple(disagreements(found)),
            unreached=tuple(failures(settings, results, layers)),
            notes=(
                *common_notes(replace(settings, repeats=1), results),
                "Proved: no diagram on the skeleton costs less. Improved: cheaper than the heuristic (step 1), "
                "without a proof; same: neither. Better than step 1: with or without a proof.",
                f"Shares of the paper are of {RUNS_PER_CELL} runs on all 54 sets, multivariate splits included, "
                "with Gurobi and 600 s. monks1 to monks3 and spect have their true class here.",
            ),
        )


def counts(found: Sequence[Run]) -> dict[str, float]:
    """Count proofs and improvements."""
    proved = [run for run in found if run.outcome.proved]
    improved = [run for run in found if run.is_better and not run.outcome.proved]
    return {
        "runs": len(found),
        "proved": len(proved),
        "improved": len(improved),
        "same": len(found) - len(proved) - len(improved),
        "better than step 1": sum(run.is_better for run in found),
        "with_start": sum(run.start_cost is not None for run in found),
        "seconds": sum(run.outcome.wall or 0.0 for run in found) / max(len(found), 1),
    }


def shares(counted: dict[str, float]) -> tuple[str, ...]:
    """Format counts, with their share of the runs.

    Examples
    --------
    >>> shares({"runs": 4, "proved": 1, "improved": 2, "same": 1, "better than step 1": 3})
    ('4', '1 (25 %)', '2 (50 %)', '1 (25 %)', '3 (75 %)')
    """
    runs_made = counted["runs"]
    if counted.get("with_start", runs_made) == 0:  # no solver reports the heuristic's cost
        return (f"{runs_made:.0f}", shares(counted | {"with_start": 1})[1], "-", "-", "-")
    texts = [f"{counted[name]:.0f} ({100 * counted[name] / max(runs_made, 1):.0f} %)" for name in COUNTED[1:]]
    return (f"{runs_made:.0f}", *texts)


def _summary(found: Sequence[Run], solvers: Sequence[str]) -> Section:
    rows, records = [], []
    for solver in solvers:
        counted = counts([run for run in found if run.solver == solver])
        rows.append((solver, *shares(counted), formatting.seconds(counted["seconds"])))
        records.append({"solver": solver, **counted})
    paper = (f"{100 * PROVED_SHARE:.0f} %", f"{100 * (PROVED_OR_IMPROVED_SHARE - PROVED_SHARE):.0f} %")
    rows.append(("paper", "13500", *paper, f"{100 * (1 - PROVED_OR_IMPROVED_SHARE):.0f} %", "-", "-"))
    return Section("summary", "All runs", ("solver", *COUNTED, "mean s"), tuple(rows), tuple(records))


def _cells(found: Sequence[Run], solver: str) -> Section:
    """Return one row per skeleton and penalty, with the paper's shares."""
    rows, records = [], []
    for skeleton, alpha in dict.fromkeys((skeleton_of(run.layers), run.layers.alpha) for run in found):
        counted = counts([r for r in found if (skeleton_of(r.layers), r.layers.alpha) == (skeleton, alpha)])
        cell = CELLS_1.get((skeleton, alpha))
        printed = (
            [None if cell is None else n / RUNS_PER_CELL for n in (cell.proved, cell.improved)] if cell else [None] * 2
        )
        texts = ["-" if share is None else f"{100 * share:.0f} %" for share in printed]
        rows.append((skeleton, f"{alpha:g}", *shares(counted), *texts, formatting.seconds(counted["seconds"])))
        paper = {"paper_proved": printed[0], "paper_improved": printed[1]}
        records.append({"solver": solver, "skeleton": skeleton, "alpha": alpha, **counted, **paper})
    header = ("skeleton", "alpha", *COUNTED, "paper proved", "paper improved", "mean s")
    name = solver.lower().replace(" ", "-")
    return Section(f"cells-{name}", f"{solver}, by skeleton and penalty per node", header, tuple(rows), tuple(records))


def _by_set(found: Sequence[Run], solvers: Sequence[str]) -> Section:
    rows, records = [], []
    for name in dict.fromkeys(run.name for run in found):
        for solver in solvers:
            counted = counts([run for run in found if (run.name, run.solver) == (name, solver)])
            rows.append((name, solver, *shares(counted), formatting.seconds(counted["seconds"])))
            records.append({"set": name, "solver": solver, **counted})
    return Section("sets", "Set by set", ("set", "solver", *COUNTED, "mean s"), tuple(rows), tuple(records))


def _duel(found: Sequence[Run]) -> Section:
    """Compare the solvers where both have a diagram of the same kind."""
    by_key = {(run.name, run.seed, run.layers, run.solver): run for run in found}
    first, second = SOLVERS
    pairs = [
        (run, by_key[(*key[:3], second)])
        for key, run in by_key.items()
        if key[3] == first and (*key[:3], second) in by_key
    ]
    tests: dict[str, Callable[[float], bool]] = {
        f"{first} cheaper": lambda less: less < -TOLERANCE,
        "equal": lambda less: abs(less) <= TOLERANCE,
        f"{second} cheaper": lambda less: less > TOLERANCE,
    }
    costs = {name: sum(test(one.cost - other.cost) for one, other in pairs) for name, test in tests.items()}
    proofs = {
        f"proved by {first} only": sum(one.outcome.proved and not other.outcome.proved for one, other in pairs),
        f"proved by {second} only": sum(other.outcome.proved and not one.outcome.proved for one, other in pairs),
    }
    record = {"pairs": len(pairs), **costs, **proofs}
    row = tuple(str(value) for value in record.values())
    return Section("duel", "Both solvers on the same runs", tuple(record), (row,), (record,))
