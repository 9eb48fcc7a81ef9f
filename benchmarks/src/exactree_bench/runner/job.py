"""Jobs, each one fit in its own process, and matches, which alternate jobs between contestants."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from exactree_bench.datasets.case import Case, Encoding
from exactree_bench.datasets.preprocessing import Preprocessing
from exactree_bench.datasets.sensitive import Sensitive


@dataclass(frozen=True, slots=True)
class Layers:
    """The diagrams that a contestant searches."""

    skeleton: str  # its name in the paper
    alpha: float
    tree: bool = False
    multivariate: bool = False
    least: float = 0.0  # minimum share of the rows at every internal node; 0: no limit

    @property
    def label(self) -> str:
        """Short description, part of the key in a run log.

        Examples
        --------
        >>> Layers("II", 0.1).label, Layers("I", 0.5, tree=True, least=0.05).label
        ('II 0.1 univariate', 'I tree 0.5 univariate least 0.05')
        """
        split = "multivariate" if self.multivariate else "univariate"
        least = f" least {self.least:g}" if self.least else ""
        return f"{self.skeleton}{' tree' * self.tree} {self.alpha:g} {split}{least}"


@dataclass(frozen=True, slots=True)
class FitConfig:
    """Depth, limits and options that every contestant of a match gets; ``None`` means no limit."""

    depth: int
    seconds: float
    memory: int | None = None  # bytes that the fit may add to the process
    threads: int = 1
    thresholds: str = "all"
    layers: Layers | None = None  # for contestants that search diagrams
    notion: str | None = None  # of fairness; the first column of X is then the group of each row
    price: float | None = None  # of a leaf, as a share of the rows; with it no depth is too deep where that is possible


@dataclass(frozen=True, slots=True)
class Job:
    """One fit. Equal jobs are run once."""

    case: Case
    contestant: str
    version: str  # of the contestant; another version is run again
    config: FitConfig
    repeat: int = 0
    part: str = "main"  # of the suite; jobs of different parts are measured separately

    @property
    def key(self) -> tuple[str, ...]:
        """Key in the run log."""
        config = self.config
        numbers = (config.depth, config.threads, self.repeat, config.seconds, config.memory or "none")
        return (self.part, self.case.name, self.case.file, self.contestant, self.version, *map(str, numbers))

    def to_json(self) -> str:
        """Serialize as one line, for the worker's standard input."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Job":
        """Read what :meth:`to_json` wrote."""
        fields = json.loads(text)
        case, config = fields.pop("case"), fields.pop("config")
        case["encoding"] = Encoding(case["encoding"])
        if (preprocessing := case["preprocessing"]) is not None:
            lists = {name: tuple(value) for name, value in preprocessing.items() if isinstance(value, list)}
            case["preprocessing"] = Preprocessing(**preprocessing | lists)
        if (sensitive := case["sensitive"]) is not None:
            case["sensitive"] = Sensitive(**sensitive | {"nominal": tuple(sensitive["nominal"])})
        config["layers"] = None if config["layers"] is None else Layers(**config["layers"])
        return cls(case=Case(**case), config=FitConfig(**config), **fields)


@dataclass(frozen=True, slots=True)
class Entry:
    """A contestant of a match, with its number of threads."""

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
    notion: str | None = None
    price: float | None = None

    def jobs(self) -> Iterator[Job]:
        """Yield the jobs in order; each repeat starts with the next contestant, so that none is always first.

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
        config = FitConfig(
            self.depth,
            self.seconds,
            self.memory,
            entry.threads,
            self.case.thresholds,
            self.layers,
            self.notion,
            self.price,
        )
        return Job(self.case, entry.contestant, entry.version, config, repeat, self.part)
