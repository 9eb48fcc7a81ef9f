#include "greedy.hpp"

#include <memory>
#include <queue>

#include "node.hpp"

namespace exactree {
namespace {

struct Split {
    std::size_t column = 0;
    std::uint32_t cut = 0;
    double score = -1;  // sum over both sides of (sum of squared class weights / weight); higher is purer
};

double purity(const std::vector<Cost>& weights, double total) {
    double squares = 0;
    for (const Cost w : weights) squares += static_cast<double>(w) * static_cast<double>(w);
    return total > 0 ? squares / total : 0;
}

Split best_split(const Data& data, const Limits& limits, const Node& node) {
    Split best;
    std::vector<Cost> yes, no;
    for (std::size_t j = 0; j < node.columns().size(); ++j) {
        const NodeColumn& column = node.columns()[j];
        yes.assign(node.gains().size(), 0);
        no = node.gains();
        Size size;
        double weight = 0, total = 0;
        for (const Cost w : no) total += static_cast<double>(w);
        for (std::uint32_t cut = 0; cut + 1 < column.n_ranks; ++cut) {
            const std::uint32_t end = node.cell_end(column, cut);
            for (std::uint32_t at = node.cell_begin(column.first_cell + cut); at < end; ++at) {
                const RowId row = node.row(node.order(j)[at]);
                yes[data.label[row]] += data.gain[row];
                no[data.label[row]] -= data.gain[row];
                weight += static_cast<double>(data.gain[row]);
                size += data.size[row];
            }
            if (!limits.allows(size, node.size() - size)) continue;
            const double score = purity(yes, weight) + purity(no, total - weight);
            if (score > best.score) best = {j, cut, score};
        }
    }
    return best;
}

// A leaf that may be split, and by how much that would help.
struct Bud {
    std::shared_ptr<const Node> node;
    std::int32_t at;
    int depth;
    Split split;
    double help;
    bool operator<(const Bud& other) const { return help != other.help ? help < other.help : at > other.at; }
};

class Grower {
 public:
    Grower(const Data& data, const Limits& limits) : data_(data), limits_(limits) {}

    Tree grow() {
        auto root = std::make_shared<Node>();
        root->fill(data_);
        add(std::move(root), 0);
        for (std::int64_t leaves = 1; leaves < limits_.max_leaves && !buds_.empty(); ++leaves) {
            const Bud bud = buds_.top();
            buds_.pop();
            const Question question = bud.node->question(bud.split.column, bud.split.cut);
            tree_[bud.at].column = question.column;
            tree_[bud.at].rank = static_cast<std::int32_t>(question.rank);
            for (const Side side : {Side::yes, Side::no}) {
                auto child = std::make_shared<Node>();
                child->fill(data_, *bud.node, bud.split.column, bud.split.cut, side);
                (side == Side::yes ? tree_[bud.at].yes : tree_[bud.at].no) = static_cast<std::int32_t>(tree_.size());
                add(std::move(child), bud.depth + 1);
            }
        }
        return std::move(tree_);
    }

 private:
    void add(std::shared_ptr<const Node> node, int depth) {
        const auto at = static_cast<std::int32_t>(tree_.size());
        tree_.push_back({-1, -1, -1, -1, node->best_label()});
        double total = 0, largest = 0;
        for (const Cost w : node->gains()) {
            total += static_cast<double>(w);
            largest = std::max(largest, static_cast<double>(w));
        }
        if (depth >= limits_.max_depth || largest >= total) return;  // as deep as allowed, or pure
        const Split split = best_split(data_, limits_, *node);
        if (split.score < 0) return;
        const double help = split.score - purity(node->gains(), total);
        buds_.push({std::move(node), at, depth, split, help});
    }

    const Data& data_;
    const Limits& limits_;
    Tree tree_;
    std::priority_queue<Bud> buds_;
};

}  // namespace

Tree grow(const Data& data, const Limits& limits) { return Grower(data, limits).grow(); }

}  // namespace exactree
