// Raises the lower bound beside the proof, by the partition bound.
#pragma once

#include <optional>

#include "core/settings.hpp"
#include "partition/bound.hpp"
#include "search/engine_choice.hpp"
#include "search/incumbent.hpp"

namespace exactree::search {

class Bounder {
 public:
    // `leader` is the watchdog of the proof, and polls for both.
    Bounder(const Data& data, const Limits& limits, Watchdog& leader, Incumbent& incumbent, const Settings& settings,
            Engine engine, std::size_t cache_bytes);

    // About so much more work; returns how much it was, 0 once no more is to be gained.
    std::uint64_t raise(std::uint64_t work);

 private:
    const Data& data_;
    Limits limits_;
    Watchdog& leader_;
    Incumbent& incumbent_;
    const Settings& settings_;
    Engine engine_;
    std::size_t cache_bytes_;
    std::optional<partition::PartitionBound> partition_;  // made when it is needed: most proofs end before
};

}  // namespace exactree::search
