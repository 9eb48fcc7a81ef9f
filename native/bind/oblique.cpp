#include <nanobind/stl/optional.h>

#include <cmath>
#include <vector>

#include "bind/arrays.hpp"
#include "oblique/pair_sweep.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace exactree;
using namespace exactree::bind;
using namespace exactree::oblique;

namespace {

using Columns = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Amounts = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Pairs = nb::ndarray<const std::int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using OutSplits = nb::ndarray<nb::numpy, double, nb::shape<-1, 3>>;

SplitRows checked_rows(const Columns& values, const Amounts& change, const Numbers& counts, const Pairs& pairs,
                       std::int64_t min_count) {
    const std::size_t n_rows = values.shape(1);
    if (n_rows == 0 || n_rows >= 0xffffffffu) throw std::invalid_argument("values must have 1 to 2**32 - 2 rows");
    if (change.size() != n_rows || counts.size() != n_rows)
        throw std::invalid_argument("change and counts must have an entry for each row");
    if (!std::all_of(values.data(), values.data() + values.size(), [](double value) { return std::isfinite(value); }))
        throw std::invalid_argument("values must be finite");
    for (std::size_t p = 0; p < pairs.size(); ++p)
        if (pairs.data()[p] < 0 || pairs.data()[p] >= static_cast<std::int32_t>(values.shape(0)))
            throw std::invalid_argument("a pair names a column that does not exist");
    return {n_rows, {values.data(), values.size()}, {change.data(), n_rows}, {counts.data(), n_rows}, min_count};
}

OutSplits pair_splits(const Columns& values, const Amounts& change, const Numbers& counts, const Pairs& pairs,
                      std::int64_t min_count, std::size_t most_rows, int n_angles, std::optional<double> seconds) {
    const SplitRows rows = checked_rows(values, change, counts, pairs, min_count);
    if (n_angles < 2) throw std::invalid_argument("n_angles must be 2 or more");
    // Calls are short, and do not look for Ctrl-C: the interpreter does between them.
    Budget budget;
    budget.seconds = seconds;
    auto* out = new std::vector<double>();
    nb::capsule owner(out, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    {
        nb::gil_scoped_release no_gil;
        const std::span<const std::int32_t> chosen{pairs.data(), pairs.size()};
        for (const PairSplit& split : best_pair_splits(rows, chosen, {most_rows, n_angles}, budget))
            out->insert(out->end(), {split.change, split.low, split.high});
    }
    return OutSplits(out->data(), {pairs.shape(0), 3}, owner);
}

}  // namespace

void bind_oblique(nb::module_& m) {
    m.def("pair_splits", &pair_splits, "values"_a.noconvert(), "change"_a.noconvert(), "counts"_a.noconvert(),
          "pairs"_a.noconvert(), nb::kw_only(), "min_count"_a, "most_rows"_a, "n_angles"_a, "seconds"_a.none(),
          "Find the best linear split of rows for each pair of columns, (n_pairs, 3): change of cost, and the lowest "
          "and the highest angle of its direction; NaN where time ran out.");
}
