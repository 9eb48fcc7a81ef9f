"""Shared by the two tables of DL8.5: contestants, comparison with the paper, and consistency checks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from exactree_bench import formatting
from exactree_bench.datasets.case import Case
from exactree_bench.published import dl85
from exactree_bench.runner.checks import contradictions
from exactree_bench.runner.job import Match
from exactree_bench.runner.results import Results
from exactree_bench.suites.interface import Report, Section, Settings, common_notes

OURS = "exactree"
CONTESTANTS = ("DL8", "DL8.5 d.o.", "DL8.5 asc", "DL8.5 desc", "DL8.5 n.p.s.", OURS)
Rows = Mapping[str, dl85.Row]


@dataclass(frozen=True, slots=True)
class PaperTable:
    """One of the paper's tables: its sets, its cells, and its depth."""

    cases: tuple[Case, ...]
    rows: Rows
    depth: int

    def plan(self, settings: Settings, depths: Sequence[int]) -> list[Match]:
        """Return one match per set and depth, shallow ones first."""
        cases = settings.chosen(self.cases)
        entries = [(name, 1) for name in CONTESTANTS]
        return [settings.match(case, depth, entries) for depth in depths for case in cases]

    def report(self, settings: Settings, results: Results, depths: Sequence[int]) -> Report:
        """Compare with the paper at its depth, and contestants with each other at all depths."""
        names = [case.name for case in settings.chosen(self.cases)]
        printed = self.depth in depths
        empty: Rows = {name: {} for name in names}
        return Report(
            sections=tuple(
                comparison(results, self.rows if depth == self.depth else empty, depth, names) for depth in depths
            ),
            contradictions=tuple(contradictions(results, {self.depth: proofs(self.rows)})),
            unreached=tuple(unreached(results, self.rows, self.depth, names)) if printed else (),
            notes=(
                *([agreement(results, self.rows, self.depth, names)] if printed else []),
                *common_notes(settings, results),
            ),
        )


def comparison(results: Results, rows: Rows, depth: int, names: Sequence[str]) -> Section:
    """Return objective and seconds of each contestant, after those of the paper where it has the contestant."""
    header = ["set"]
    for contestant in CONTESTANTS:
        published = any(contestant in row for row in rows.values())
        header += [f"{contestant} paper"] * published + [f"{contestant} here" if published else contestant]
    lines = []
    for name in names:
        line = [name]
        for contestant in CONTESTANTS:
            if (cell := rows[name].get(contestant)) is not None:
                line.append(str(cell))
            found = results.get(name, depth, contestant)
            line.append(f"{formatting.errors(found)} {formatting.time_taken(found)}".strip())
        lines.append(tuple(line))
    records = tuple(record(results, rows[name], name, depth) for name in names)
    return Section(f"depth-{depth}", f"Depth {depth}: objective, seconds", tuple(header), tuple(lines), records)


def record(results: Results, row: dl85.Row, name: str, depth: int) -> dict[str, object]:
    """Return the record of one set for CSV and JSON."""
    out: dict[str, object] = {"set": name, "depth": depth}
    for contestant in CONTESTANTS:
        cell = row.get(contestant)
        if cell is not None:
            out |= {
                f"{contestant} paper errors": cell.objective,
                f"{contestant} paper proved": cell.proved,
                f"{contestant} paper seconds": cell.seconds,
            }
        if (found := results.get(name, depth, contestant)) is not None:
            out |= {
                f"{contestant} errors": found.errors,
                f"{contestant} proved": found.proved,
                f"{contestant} bound": found.bound,
                f"{contestant} cpu_seconds": found.cpu,
                f"{contestant} status": found.status.value,
                f"{contestant} nodes": found.counters.get("nodes"),
            }
    return out


def proofs(rows: Rows) -> dict[str, int]:
    """Return the objectives that the paper proves optimal."""
    best = {name: dl85.best(row) for name, row in rows.items()}
    return {name: errors for name, (errors, proved) in best.items() if proved}


def unreached(results: Results, rows: Rows, depth: int, names: Sequence[str]) -> list[str]:
    """Report where exactree is behind the paper: an objective proved only there, or fewer errors there."""
    texts = []
    for name in names:
        errors, starred = dl85.best(rows[name])
        found = results.get(name, depth, OURS)
        if found is None or found.errors is None:
            texts.append(f"{name}: no tree here, {errors} errors in the paper")
        elif found.errors > errors:
            texts.append(f"{name}: {found.errors} errors here, {errors}{'*' * starred} in the paper")
        elif starred and not found.proved:
            texts.append(f"{name}: {errors} errors are proved in the paper, not here")
    return texts


def agreement(results: Results, rows: Rows, depth: int, names: Sequence[str]) -> str:
    """Count how many of the paper's objectives are reproduced."""
    found = {name: results.get(name, depth, OURS) for name in names}
    stars = proofs(rows)
    starred = [name for name in names if name in stars]
    equal = [name for name in starred if (run := found[name]) is not None and run.proved and run.errors == stars[name]]
    open_ones = [name for name in names if name not in stars]
    good = [
        name
        for name in open_ones
        if (run := found[name]) is not None and run.errors is not None and run.errors <= dl85.best(rows[name])[0]
    ]
    return (
        f"Objectives proved in the paper, and proved equal by exactree: {len(equal)} of {len(starred)}; "
        f"unproved ones, equal or better here: {len(good)} of {len(open_ones)}."
    )
