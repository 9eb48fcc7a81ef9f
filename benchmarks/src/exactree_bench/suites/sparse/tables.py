"""The tables of the suite ``sparse``."""

from exactree_bench import formatting
from exactree_bench.contestants.interface import LEAVES, OBJECTIVE_BOUND
from exactree_bench.suites.interface import Section
from exactree_bench.suites.peers.summary import Ratio, Target, worst_target
from exactree_bench.suites.sparse.costs import OURS, RIVAL, TOLERANCE, Cell, Costs

WORTH_TIMING = 0.05  # CPU seconds of FastSmallTree: below, its Python call is most of the time
SPEED_UP = 10.0


def comparison(costs: Costs, price: float) -> Section:
    """Return cost and seconds of each contestant at one price, and the speed-up over FastSmallTree."""
    names = costs.contestants
    header = ("set", *(f"{name} {what}" for what in ("cost", "CPU s") for name in names), f"{RIVAL} / {OURS}")
    rows, records = [], []
    for case in costs.cases:
        cell = costs.cells[case, price]
        found = ratio(cell)
        rows.append(
            (
                case,
                *(shown_cost(cell, name) for name in names),
                *(formatting.time_taken(cell.runs.get(name)) for name in names),
                "-" if found is None else str(found),
            )
        )
        records.append(record(cell))
    title = f"Price {price:g}: cost (* proved), CPU seconds of a proof"
    return Section(f"price-{price:g}", title, header, tuple(rows), tuple(records))


def shown_cost(cell: Cell, name: str) -> str:
    """Format a cost, with a star if it is proved."""
    value = cell.cost(name)
    return "-" if value is None else f"{value:.2f}{'*' * cell.proved(name)}"


def record(cell: Cell) -> dict[str, object]:
    """Return the record of one set for CSV and JSON."""
    found: dict[str, object] = {"set": cell.case, "price": cell.price}
    for name, run in cell.runs.items():
        found |= {
            f"{name} cost": cell.cost(name),
            f"{name} errors": run.errors,
            f"{name} leaves": run.counters.get(LEAVES),
            f"{name} bound": run.counters.get(OBJECTIVE_BOUND),
            f"{name} status": run.status.value,
            f"{name} cpu_seconds": run.cpu,
            f"{name} wall_seconds": run.wall,
            f"{name} reason": run.reason,
        }
    return found


def ratio(cell: Cell) -> Ratio | None:
    """FastSmallTree's CPU seconds over exactree's; a run without a proof counts with its time, and a sign marks it."""
    ours, rival = cell.runs.get(OURS), cell.runs.get(RIVAL)
    if ours is None or rival is None or not ours.cpu or not rival.cpu or not (ours.proved or rival.proved):
        return None
    return Ratio(rival.cpu / ours.cpu, "" if ours.proved and rival.proved else ">" if ours.proved else "<")


def summary(costs: Costs) -> Section:
    """Return the goals: proofs, costs and speed."""
    ratios = {
        cell.label: found
        for cell in costs.cells.values()
        if (found := ratio(cell)) is not None and (cell.runs[RIVAL].cpu or 0.0) >= WORTH_TIMING
    }
    mean = formatting.geometric_mean(found.value for found in ratios.values())
    bounds = sum(found.sign != "" for found in ratios.values())
    ours = "-" if mean is None else f"{mean:.1f} ({len(ratios)} cells, {bounds} of them bounds)"
    proved = sum(cell.proved(OURS) for cell in costs.cells.values())
    targets = [
        Target(
            f"{RIVAL} / {OURS}, geometric mean of cells with {RIVAL} >= 50 ms",
            "1",
            ours,
            f">= {SPEED_UP:g}",
            None if mean is None else mean >= SPEED_UP,
        ),
        worst_target(ratios, 1.0, "worst cell in that list"),
        none_target("cells that another proves and exactree does not", costs.unproved(), proved),
        none_target("cells where another finds a cheaper tree", costs.dearer(), proved),
    ]
    header = ("measure", RIVAL, OURS, "target", "met")
    rows = tuple(target.row() for target in targets)
    return Section("summary", "Summary", header, rows, tuple(dict(zip(header, row, strict=True)) for row in rows))


def none_target(measure: str, cells: list[str], known: int) -> Target:
    """Return the row of cells that there should be none of; unknown if exactree proved nothing and there are none."""
    return Target(measure, "-", str(len(cells)), "0", not cells if cells or known else None)


def totals(costs: Costs, limit: float) -> Section:
    """Return proofs and cheapest trees of each contestant."""
    header = ("contestant", "cells", "proved", "cheapest tree")
    rows, records = [], []
    for name in costs.contestants:
        cells = [cell for cell in costs.cells.values() if name in cell.runs]
        cheapest = sum(
            (value := cell.cost(name)) is not None and cell.best is not None and value <= cell.best[1] + TOLERANCE
            for cell in cells
        )
        proved = sum(cell.proved(name) for cell in cells)
        rows.append((name, str(len(cells)), str(proved), str(cheapest)))
        records.append({"contestant": name, "cells": len(cells), "proved": proved, "cheapest": cheapest})
    return Section("totals", f"Cells proved within {limit:g} s", header, tuple(rows), tuple(records))
