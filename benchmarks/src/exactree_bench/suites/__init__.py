"""The suites of ``exactree-bench``. A new suite is one new file and one line here."""

from exactree_bench.suites.ablation import Ablation
from exactree_bench.suites.anytime.plan import Anytime
from exactree_bench.suites.binoct import BinoctTable5, BinoctTable6
from exactree_bench.suites.cgh.table3 import CghTable3
from exactree_bench.suites.cgh.tables import CghTable7, CghTable8, CghTable9, CghTable10
from exactree_bench.suites.dl85.table2 import Dl85Table2
from exactree_bench.suites.dl85.table3 import Dl85Table3
from exactree_bench.suites.fair.plan import Fair
from exactree_bench.suites.interface import Report, Section, Settings, Suite, run_suite
from exactree_bench.suites.mip_backends import MipBackends
from exactree_bench.suites.odd.accuracy import OddAccuracy
from exactree_bench.suites.odd.multivariate import OddMultivariate
from exactree_bench.suites.odd.starts import OddStarts
from exactree_bench.suites.odd.table1 import OddTable1
from exactree_bench.suites.odd.table2 import OddTable2
from exactree_bench.suites.peers.binary import PeersBinary
from exactree_bench.suites.peers.continuous import PeersContinuous
from exactree_bench.suites.scaling import Scaling
from exactree_bench.suites.sparse.plan import Sparse
from exactree_bench.suites.xct import Xct

__all__ = ["SUITES", "Report", "Section", "Settings", "Suite", "run_suite"]

SUITES: dict[str, Suite] = {
    suite.name: suite
    for suite in (
        Dl85Table2(),
        Dl85Table3(),
        BinoctTable5(),
        BinoctTable6(),
        CghTable3(),
        CghTable7(),
        CghTable8(),
        CghTable9(),
        CghTable10(),
        MipBackends(),
        PeersBinary(),
        PeersContinuous(),
        Ablation(),
        Anytime(),
        Scaling(),
        Sparse(),
        Xct(),
        Fair(),
        OddStarts(),
        OddTable1(),
        OddTable2(),
        OddAccuracy(),
        OddMultivariate(),
    )
}
