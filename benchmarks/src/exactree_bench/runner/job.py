"""What is run: jobs, each one fit in a process of its own, and matches, which alternate jobs between contestants."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from exactree_bench.datasets.case import Case, Encoding
from exactree_bench.datasets.preprocessing import Cleaning


@dataclass(frozen=True, slots=True)
class Layers:
    """Which diagrams a contestant is to look for."""

    skeleton: str  # a name of the paper
    alpha: float
    tree: bool = False
    multivariate: bool = False
    least: float = 0.0  # share of the rows at every node that asks; 0: no limit

    @property
    def words(self) -> str:
        """A few words by which a ledger knows them.

        Examples
        --------
        >>> Layers("II", 0.1).words, Layers("I", 0.5, tree=True, least=0.05).words
        ('II 0.1 univariate', 'I tree 0.5 univariate least 0.05')
        """
        split = "multivariate" if self.multivariate else "univariate"
        least = f" least {self.least:g}" if self.least else ""
        return f"{self.skeleton}{' tree' * self.tree} {self.alpha:g} {split}{least}"


@dataclass(frozen=True, slots=True)
class Terms:
    """What every contestant of a match is given; ``None`` means no limit."""

    depth: int
    seconds: float
    memory: int | None = None  # bytes that the fit may add to the process
    threads: int = 1
    thresholds: str = "all"
    layers: Layers | None = None  # for contestants that look for diagrams


@dataclass(frozen=True, slots=True)
class Job:
    """One fit. Two jobs that are equal need to be run once only."""

    case: Case
    contestant: str
    version: str  # of the contestant: results of an older one do not count
    terms: Terms
    repeat: int = 0
    part: str = "main"  # of the suite; jobs of different parts are measured apart

    @property
    def key(self) -> tuple[str, ...]:
        """What the ledger knows it by."""
        terms = self.terms
        numbers = (terms.depth, terms.threads, self.repeat, terms.seconds, terms.memory or "none")
        return (self.part, self.case.name, self.case.file, self.contestant, self.version, *map(str, numbers))

    def to_json(self) -> str:
        """Write on one line, for the worker's standard input."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Job":
        """Read what :meth:`to_json` wrote."""
        fields = json.loads(text)
        case, terms = fields.pop("case"), fields.pop("terms")
        case["encoding"] = Encoding(case["encoding"])
        if (cleaning := case["cleaning"]) is not None:
            lists = {name: tuple(value) for name, value in cleaning.items() if isinstance(value, list)}
            case["cleaning"] = Cleaning(**cleaning | lists)
        terms["layers"] = None if terms["layers"] is None else Layers(**terms["layers"])
        return cls(case=Case(**case), terms=Terms(**terms), **fields)


@dataclass(frozen=True, slots=True)
class Entry:
    """A contestant in a match, with the threads it may use."""

    contestant: str
    version: str
    threads: int = 1


@dataclass(frozen=True, slots=True)
class Match:
    """A case at one depth for several contestants, in turn, ``repeats`` times."""

    case: Case
    depth: int
    entries: tuple[Entry, ...]
    seconds: float
    memory: int | None = None
    repeats: int = 1
    part: str = "main"
    layers: Layers | None = None

    def jobs(self) -> Iterator[Job]:
        """Yield the jobs in order; each round begins with the next contestant, so that none is always first.

        Examples
        --------
        >>> match = Match(Case("xor", "xor.csv"), 2, (Entry("a", "1"), Entry("b", "1")), seconds=1.0, repeats=2)
        >>> [job.contestant for job in match.jobs()]
        ['a', 'b', 'b', 'a']
        """
        for repeat in range(self.repeats):
            first = repeat % len(self.entries) if self.entries else 0
            for entry in self.entries[first:] + self.entries[:first]:
                yield self.job(entry, repeat)

    def job(self, entry: Entry, repeat: int = 0) -> Job:
        """Return the job of one contestant."""
        terms = Terms(self.depth, self.seconds, self.memory, entry.threads, self.case.thresholds, self.layers)
        return Job(self.case, entry.contestant, entry.version, terms, repeat, self.part)
