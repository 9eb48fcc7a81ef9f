#include <nanobind/stl/optional.h>

#include <vector>

#include "bind/arrays.hpp"
#include "paths/pricing.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace exactree;
using namespace exactree::paths;
using namespace exactree::bind;

namespace {

constexpr int kDeepestPaths = 20;

using Amounts = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using FlagTable = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Choices = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutFloats = nb::ndarray<nb::numpy, const double, nb::ndim<1>>;
using OutTable = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
using OutLabels = nb::ndarray<nb::numpy, const std::int32_t, nb::ndim<1>>;
using OutChoices = nb::ndarray<nb::numpy, const std::int32_t, nb::ndim<2>>;

void expect(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

// The rows and choices of a table of paths, kept as copies: they are read again and again.
class PathRows {
 public:
    PathRows(const Ranks& ranks, const Amounts& sizes, const Labels& begin, const Labels& column, const Labels& rank,
             int depth, int n_classes, double least_rows, double least_weight)
        : ranks_(ranks.data(), ranks.data() + ranks.size()),
          begin_(begin.data(), begin.data() + begin.size()),
          column_(column.data(), column.data() + column.size()),
          rank_(rank.data(), rank.data() + rank.size()),
          sizes_(sizes.data(), sizes.data() + sizes.size()) {
        const std::size_t n_rows = ranks.shape(1);
        expect(depth >= 1 && depth <= kDeepestPaths, "depth must lie in 1..20");
        expect(n_classes >= 1 && n_rows >= 1 && n_rows < 0xffffffffu, "there must be a class and a row or more");
        expect(sizes.shape(0) == n_rows && sizes.shape(1) == 2, "sizes must have a row for each row, and two columns");
        expect(column_.size() == rank_.size(), "column and rank must be of one length");
        table_ = {depth, n_classes, n_rows, ranks_, sizes_, begin_, column_, rank_, least_rows, least_weight};
        expect(begin_.size() == table_.n_branches() + 1 && begin_.front() == 0,
               "begin must have an entry for each branch");
        expect(begin_.back() == static_cast<std::int32_t>(column_.size()), "begin must end with the number of choices");
        expect(std::is_sorted(begin_.begin(), begin_.end()), "begin must not fall");
        for (std::size_t c = 0; c < column_.size(); ++c)
            expect(column_[c] < static_cast<std::int32_t>(ranks.shape(0)) && rank_[c] >= 0, "a choice is out of range");
    }
    PathRows(const PathRows&) = delete;
    PathRows& operator=(const PathRows&) = delete;

    PricedPaths price(const Amounts& cost, const Vector& fee, const Amounts& toll, const Flags& open,
                      const FlagTable& says, const Vector& known, double price, double below, std::size_t most,
                      std::optional<double> seconds) const {
        const std::size_t n_leaves = table_.n_leaves(), n_classes = static_cast<std::size_t>(table_.n_classes);
        check_cost(cost, open);
        expect(fee.size() == n_leaves && known.size() == n_leaves, "fee and known must have an entry for each leaf");
        expect(toll.shape(0) == n_leaves && toll.shape(1) == table_.n_choices(), "toll must be leaves by choices");
        expect(says.shape(0) == n_leaves && says.shape(1) == n_classes, "says must be leaves by classes");
        expect(price >= 0 && most >= 1, "price must not be negative, and most at least 1");
        const PathPrices prices{{cost.data(), cost.size()},
                                {fee.data(), fee.size()},
                                {toll.data(), toll.size()},
                                bytes(open),
                                bytes(says),
                                {known.data(), known.size()},
                                price,
                                below,
                                most};
        ProgressCallback caller{nb::none()};
        const Budget budget = make_budget(seconds, std::nullopt, 0, caller);
        PricedPaths out;
        {
            nb::gil_scoped_release no_gil;
            out = price_paths(table_, prices, budget);
        }
        caller.rethrow();
        return out;
    }

    ChosenTree best_tree(const Amounts& cost, const Flags& open, double price, std::optional<double> seconds) const {
        check_cost(cost, open);
        expect(price >= 0, "price must not be negative");
        ProgressCallback caller{nb::none()};
        const Budget budget = make_budget(seconds, std::nullopt, 0, caller);
        ChosenTree out;
        {
            nb::gil_scoped_release no_gil;
            out = best_chosen_tree(table_, {cost.data(), cost.size()}, bytes(open), price, budget);
        }
        caller.rethrow();
        return out;
    }

    OutTable sums(const Amounts& amounts, const Labels& leaf, const Choices& choices) const {
        const auto depth = static_cast<std::size_t>(table_.depth);
        expect(amounts.shape(0) == table_.n_rows, "amounts must have a row for each row");
        expect(choices.shape(0) == leaf.size() && choices.shape(1) == depth, "choices must be paths by levels");
        const std::span<const std::int32_t> leaves{leaf.data(), leaf.size()}, chosen{choices.data(), choices.size()};
        for (const std::int32_t l : leaves)
            expect(l >= 0 && l < static_cast<std::int32_t>(table_.n_leaves()), "a leaf is out of range");
        for (const std::int32_t c : chosen)
            expect(c >= 0 && c < static_cast<std::int32_t>(table_.n_choices()), "a choice is out of range");
        const std::size_t n_amounts = amounts.shape(1);
        auto* out = new std::vector<double>();
        nb::capsule owner(out, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
        {
            nb::gil_scoped_release no_gil;
            *out = path_sums(table_, {amounts.data(), amounts.size()}, n_amounts, leaves, chosen);
        }
        return OutTable(out->data(), {leaf.size(), n_amounts}, owner);
    }

    int depth() const noexcept { return table_.depth; }

 private:
    void check_cost(const Amounts& cost, const Flags& open) const {
        expect(cost.shape(0) == table_.n_rows && cost.shape(1) == static_cast<std::size_t>(table_.n_classes),
               "cost must be rows by classes");
        expect(open.size() == table_.n_choices(), "open must have an entry for each choice");
    }
    template <class Array>
    static std::span<const std::uint8_t> bytes(const Array& flags) {
        static_assert(sizeof(bool) == 1);
        return {reinterpret_cast<const std::uint8_t*>(flags.data()), flags.size()};
    }

    std::vector<Rank> ranks_;
    std::vector<std::int32_t> begin_, column_, rank_;
    std::vector<double> sizes_;
    PathTable table_;
};

template <class Result>
std::optional<const char*> ended(const Result& result) {
    return result.ended ? std::optional(status_name(*result.ended)) : std::nullopt;
}

}  // namespace

void bind_paths(nb::module_& m) {
    nb::class_<PricedPaths>(m, "PricedPaths", "The paths of lowest reduced cost to each leaf.")
        .def_prop_ro(
            "best", [](const PricedPaths& self) { return OutFloats(self.best.data(), {self.best.size()}); },
            nb::rv_policy::reference_internal)
        .def_prop_ro(
            "leaf", [](const PricedPaths& self) { return OutLabels(self.leaf.data(), {self.leaf.size()}); },
            nb::rv_policy::reference_internal)
        .def_prop_ro(
            "label", [](const PricedPaths& self) { return OutLabels(self.label.data(), {self.label.size()}); },
            nb::rv_policy::reference_internal)
        .def_prop_ro(
            "cost", [](const PricedPaths& self) { return OutFloats(self.cost.data(), {self.cost.size()}); },
            nb::rv_policy::reference_internal)
        .def_prop_ro(
            "choices",
            [](const PricedPaths& self) {
                const std::size_t n = self.leaf.size();
                return OutChoices(self.choices.data(), {n, n == 0 ? 0 : self.choices.size() / n});
            },
            nb::rv_policy::reference_internal, "Numbers of choices, root first, (n_paths, depth).")
        .def_ro("all", &PricedPaths::all, "Whether no path below the limit was left out.")
        .def_ro("visits", &PricedPaths::visits)
        .def_prop_ro("ended", &ended<PricedPaths>, "Why it was stopped, if it was.");
    nb::class_<ChosenTree>(m, "ChosenTree", "The cheapest tree from given choices.")
        .def_ro("cost", &ChosenTree::cost)
        .def_prop_ro(
            "choice", [](const ChosenTree& self) { return OutLabels(self.choice.data(), {self.choice.size()}); },
            nb::rv_policy::reference_internal)
        .def_ro("visits", &ChosenTree::visits)
        .def_prop_ro("ended", &ended<ChosenTree>, "Why it was stopped, if it was.");
    nb::class_<PathRows>(m, "PathRows", "Rows, and the choices of each branch of a complete tree.")
        .def(nb::init<const Ranks&, const Amounts&, const Labels&, const Labels&, const Labels&, int, int, double,
                      double>(),
             "ranks"_a.noconvert(), "sizes"_a.noconvert(), "begin"_a.noconvert(), "column"_a.noconvert(),
             "rank"_a.noconvert(), nb::kw_only(), "depth"_a, "n_classes"_a, "least_rows"_a, "least_weight"_a)
        .def_prop_ro("depth", &PathRows::depth)
        .def("price", &PathRows::price, nb::kw_only(), "cost"_a.noconvert(), "leaf_dual"_a.noconvert(),
             "link_dual"_a.noconvert(), "open"_a.noconvert(), "labels"_a.noconvert(), "known"_a.noconvert(), "price"_a,
             "below"_a, "most"_a, "seconds"_a.none(), "Find the paths of lowest reduced cost to each leaf.")
        .def("best_tree", &PathRows::best_tree, nb::kw_only(), "cost"_a.noconvert(), "open"_a.noconvert(), "price"_a,
             "seconds"_a.none(), "Find the cheapest tree by exhaustive recursion.")
        .def("sums", &PathRows::sums, "amounts"_a.noconvert(), "leaf"_a.noconvert(), "choices"_a.noconvert(),
             "Sum amounts over the rows that follow each path.");
}
