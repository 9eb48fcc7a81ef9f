#include "search/bounder.hpp"

#include "search/part_bound.hpp"

namespace exactree::search {

Bounder::Bounder(const Data& data, const Limits& limits, Watchdog& leader, Incumbent& incumbent,
                 const Settings& settings, Engine engine, std::size_t cache_bytes)
    : data_(data),
      limits_(limits),
      leader_(leader),
      incumbent_(incumbent),
      settings_(settings),
      engine_(engine),
      cache_bytes_(cache_bytes) {
    limits_.max_depth = incumbent.max_depth();
}

std::uint64_t Bounder::raise(std::uint64_t work) {
    if (!partition_) {
        const auto solve = [this](const Data& part, const Limits& limits, double share, Watchdog& watchdog) {
            return bound_part(part, limits, share, watchdog, engine_, settings_, cache_bytes_);
        };
        partition_.emplace(data_, limits_, partition::Schedule::of_depth(limits_.max_depth), settings_.seed, solve);
    }
    const std::uint64_t done = partition_->advance(work, leader_);
    incumbent_.bounded(partition_->bound(), limits_.max_depth);
    if (incumbent_.proved()) leader_.stop(Status::proved);
    return partition_->ended() ? 0 : done;
}

}  // namespace exactree::search
