// The options of a node of a diagram: all questions, and which of the two sides continue to the next layer.
#pragma once

#include <memory>
#include <unordered_map>

#include "diagrams/exact/tree_bounds.hpp"

namespace exactree::diagrams::exact {

// Sides that continue to the next layer; `all`: no question is asked, and all rows pass.
enum class Continuation { none, yes, no, both, all };

struct NodeOption {
    Question question;  // none if nothing is asked
    Continuation onward;
    Cost errors;          // of the sides that end here
    Cost lower;           // of all rows of the node
    Key yes_key, no_key;  // hash keys of the sides
};

// The options of a set of rows with fewer errors than `below`, the lowest bound first.
struct OptionList {
    Cost below;
    std::vector<NodeOption> options;

    std::size_t bytes() const noexcept { return sizeof(*this) + options.capacity() * sizeof(NodeOption) + 64; }
};

class DiagramOptions {
 public:
    // `sized`: nodes have a minimum number of rows, or leaves a minimum weight, so rows that could end may be needed to
    // fill a node.
    DiagramOptions(const Data& data, TreeBounds& bounds, Watchdog& watchdog, bool sized, std::int64_t least_weight,
                   std::size_t max_bytes)
        : data_(data),
          bounds_(bounds),
          watchdog_(watchdog),
          sized_(sized),
          least_weight_(least_weight),
          max_bytes_(max_bytes) {}

    // `follow` are the layers after the node, one or more; `suffix` identifies them. Complete unless the search was
    // stopped.
    std::shared_ptr<const OptionList> of(const ranks::Node& node, LayerPattern follow, int suffix, Cost below);
    // From the cache, if they are there.
    std::shared_ptr<const OptionList> lookup(Key key, int suffix, Cost below) const;

 private:
    struct KeyHash {
        std::size_t operator()(const Key& key) const noexcept { return static_cast<std::size_t>(key.low); }
    };
    struct OptionCollector;
    static Key cache_key(Key key, int suffix) noexcept;
    void add_ends(OptionCollector& listing, const ranks::Node& node) const;
    void add_peels(OptionCollector& listing, const ranks::Node& node);
    void add_cuts(OptionCollector& listing, const ranks::Node& node);

    const Data& data_;
    TreeBounds& bounds_;
    Watchdog& watchdog_;
    bool sized_;
    std::int64_t least_weight_;  // of sides that end
    std::size_t max_bytes_, bytes_ = 0;
    std::unordered_map<Key, std::shared_ptr<const OptionList>, KeyHash> known_;
    ranks::Node yes_, no_;
    std::vector<Peel> peels_;
    std::vector<Cost> gains_;
};

}  // namespace exactree::diagrams::exact
