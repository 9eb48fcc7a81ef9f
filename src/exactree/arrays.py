"""Type aliases of numpy arrays, one home for the whole package."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Int32s = NDArray[np.int32]
UInt32s = NDArray[np.uint32]
Bools = NDArray[np.bool_]
