#include "oblique/pair_sweep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace exactree::oblique {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kNotTried = std::numeric_limits<double>::quiet_NaN();
constexpr double kSameAngle = 1e-11;  // events closer than this are one: rows on a line
constexpr double kLeastWidth = 1e-6;  // directions between two events that are closer split too narrowly
constexpr double kLeastGap = 1e-7;    // projections closer than this count as equal
constexpr double kClearly = 1e-12;    // of two costs, relative: less is noise of their sums
constexpr int kZooms = 3;

struct Point {
    double x = 0, y = 0, change = 0;
    std::int64_t count = 0;
};

// Two rows whose projections are equal in a direction.
struct Event {
    double angle = 0;
    std::uint32_t first = 0, second = 0;
};

// Distinct points of a pair of columns, by x and then y: the order of their projections for a small angle.
std::vector<Point> distinct_points(const SplitRows& rows, std::size_t first, std::size_t second) {
    const double* x = rows.values.data() + first * rows.n_rows;
    const double* y = rows.values.data() + second * rows.n_rows;
    std::vector<Point> all(rows.n_rows);
    for (std::size_t r = 0; r < rows.n_rows; ++r) all[r] = {x[r], y[r], rows.change[r], rows.counts[r]};
    std::sort(all.begin(), all.end(),
              [](const Point& a, const Point& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
    std::vector<Point> out;
    for (const Point& point : all) {
        if (!out.empty() && out.back().x == point.x && out.back().y == point.y) {
            out.back().change += point.change;
            out.back().count += point.count;
        } else {
            out.push_back(point);
        }
    }
    return out;
}

// Tries all directions in turn. Points are in the order of their projections; it changes where two of them are equal.
class DirectionSweep {
 public:
    DirectionSweep(std::vector<Point> points, std::int64_t min_count)
        : points_(std::move(points)), min_count_(min_count), order_(points_.size()), place_(points_.size()) {
        std::iota(order_.begin(), order_.end(), 0u);
        place_ = order_;
        sums_.assign(points_.size() + 1, 0.0);
        counts_.assign(points_.size() + 1, 0);
        update(0, points_.size());
        total_ = sums_.back();
        n_all_ = counts_.back();
        scale_ = 0;
        for (const Point& point : points_) scale_ += std::abs(point.change);
    }

    PairSplit run() {
        const std::vector<Event> events = all_events();
        for (std::size_t p = 1; p < points_.size(); ++p) waiting_.push_back(p);
        std::size_t at = 0;
        check(0, events.empty() ? std::numbers::pi : events.front().angle);
        while (at < events.size()) {
            std::size_t end = at + 1;
            while (end < events.size() && events[end].angle - events[end - 1].angle < kSameAngle) ++end;
            const double next = end < events.size() ? events[end].angle : std::numbers::pi;
            reorder({events.data() + at, end - at}, next);
            check(events[end - 1].angle, next);
            at = end;
        }
        if (open_) best_.high = std::numbers::pi;
        return best_;
    }

 private:
    std::vector<Event> all_events() const {
        std::vector<Event> events;
        const std::size_t n = points_.size();
        events.reserve(n * (n - 1) / 2);
        for (std::uint32_t i = 0; i < n; ++i)
            for (std::uint32_t j = i + 1; j < n; ++j) {
                const double dx = points_[j].x - points_[i].x, dy = points_[j].y - points_[i].y;
                if (dx > 0) events.push_back({std::atan2(dx, -dy), i, j});
            }
        std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.angle < b.angle; });
        return events;
    }

    // Brings the points of some events into their order behind them.
    void reorder(std::span<const Event> events, double next) {
        if (events.size() == 1) {
            const auto [a, b] = std::minmax(place_[events[0].first], place_[events[0].second]);
            if (b == a + 1) {
                swap_neighbours(a, events[0].angle);
                return;
            }
        }
        places_.clear();
        for (const Event& event : events) {
            places_.push_back(place_[event.first]);
            places_.push_back(place_[event.second]);
        }
        std::sort(places_.begin(), places_.end());
        places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
        const double angle = (events.back().angle + next) / 2;
        for (std::size_t begin = 0; begin < places_.size();) {
            std::size_t end = begin + 1;
            while (end < places_.size() && places_[end] == places_[end - 1] + 1) ++end;
            sort_run(places_[begin], places_[end - 1] + 1, angle, events.back().angle);
            begin = end;
        }
    }

    void swap_neighbours(std::uint32_t place, double angle) {
        std::swap(order_[place], order_[place + 1]);
        place_[order_[place]] = place;
        place_[order_[place + 1]] = place + 1;
        changed(place + 1, angle);
        update(place, place + 1);
    }

    void sort_run(std::size_t begin, std::size_t end, double angle, double event) {
        const double c = std::cos(angle), s = std::sin(angle);
        const auto projection = [&](std::uint32_t i) { return c * points_[i].x + s * points_[i].y; };
        std::sort(order_.begin() + static_cast<std::ptrdiff_t>(begin),
                  order_.begin() + static_cast<std::ptrdiff_t>(end),
                  [&](std::uint32_t a, std::uint32_t b) { return projection(a) < projection(b); });
        for (std::size_t p = begin; p < end; ++p) place_[order_[p]] = static_cast<std::uint32_t>(p);
        for (std::size_t p = begin + 1; p < end; ++p) changed(p, event);
        update(begin, end - 1);
    }

    // Sums behind the places begin..end-1.
    void update(std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) {
            sums_[p + 1] = sums_[p] + points_[order_[p]].change;
            counts_[p + 1] = counts_[p] + points_[order_[p]].count;
        }
    }

    // The first `split` points are others now.
    void changed(std::size_t split, double angle) {
        waiting_.push_back(split);
        if (open_ && split == best_split_) {
            best_.high = angle;
            open_ = false;
        }
    }

    // Looks at the splits that are new since the last interval of directions that was wide enough.
    void check(double low, double high) {
        if (high - low < kLeastWidth) return;
        for (const std::size_t split : waiting_) {
            if (counts_[split] < min_count_ || n_all_ - counts_[split] < min_count_) continue;
            const double change = std::min(sums_[split], total_ - sums_[split]);
            if (change < best_.change - kClearly * scale_ || best_.change == kInfinite) {
                best_ = {change, low, high};
                best_split_ = split;
                open_ = true;
            }
        }
        waiting_.clear();
    }

    std::vector<Point> points_;
    std::int64_t min_count_;
    std::vector<std::uint32_t> order_, place_, places_;
    std::vector<double> sums_;          // change of the first so many points
    std::vector<std::int64_t> counts_;  // training rows of the first so many points
    std::vector<std::size_t> waiting_;
    double total_ = 0, scale_ = 0;
    std::int64_t n_all_ = 0;
    PairSplit best_{kInfinite, 0, 0};
    std::size_t best_split_ = 0;
    bool open_ = false;  // whether the best split still is one
};

// The best split in one direction.
double best_in_direction(const std::vector<Point>& points, double angle, std::int64_t min_count,
                         std::vector<std::pair<double, std::uint32_t>>& scratch) {
    const double c = std::cos(angle), s = std::sin(angle);
    scratch.clear();
    double total = 0;
    std::int64_t n_all = 0;
    for (std::uint32_t i = 0; i < points.size(); ++i) {
        scratch.emplace_back(c * points[i].x + s * points[i].y, i);
        total += points[i].change;
        n_all += points[i].count;
    }
    std::sort(scratch.begin(), scratch.end());
    double sum = 0, best = kInfinite;
    std::int64_t count = 0;
    for (std::size_t p = 0; p + 1 < scratch.size(); ++p) {
        sum += points[scratch[p].second].change;
        count += points[scratch[p].second].count;
        const bool enough = count >= min_count && n_all - count >= min_count;
        if (enough && scratch[p + 1].first - scratch[p].first > kLeastGap) best = std::min({best, sum, total - sum});
    }
    return best;
}

// Some directions all around, then some near the best one, and again.
PairSplit best_of_angles(const std::vector<Point>& points, std::int64_t min_count, int n_angles) {
    std::vector<std::pair<double, std::uint32_t>> scratch;
    PairSplit best{kInfinite, 0, 0};
    double from = 0, step = std::numbers::pi / n_angles;
    for (int zoom = 0; zoom < kZooms; ++zoom) {
        for (int k = 0; k < n_angles; ++k) {
            const double angle = from + (k + 0.5) * step;
            const double change = best_in_direction(points, angle, min_count, scratch);
            if (change < best.change) best = {change, angle - step / 4, angle + step / 4};
        }
        const double middle = (best.low + best.high) / 2;
        from = middle - step;
        step = 2 * step / n_angles;
    }
    return best;
}

}  // namespace

std::vector<PairSplit> best_pair_splits(const SplitRows& rows, std::span<const std::int32_t> pairs,
                                        const SweepSettings& settings, const Budget& budget) {
    Watchdog watchdog(budget);
    std::vector<PairSplit> out(pairs.size() / 2, {kNotTried, 0, 0});
    for (std::size_t p = 0; p < out.size(); ++p) {
        watchdog.check_now();
        if (watchdog.stopped()) break;
        std::vector<Point> points =
            distinct_points(rows, static_cast<std::size_t>(pairs[2 * p]), static_cast<std::size_t>(pairs[2 * p + 1]));
        out[p] = points.size() <= settings.most_rows ? DirectionSweep(std::move(points), rows.min_count).run()
                                                     : best_of_angles(points, rows.min_count, settings.n_angles);
    }
    return out;
}

}  // namespace exactree::oblique
