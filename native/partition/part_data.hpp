// A part of the rows as data of their own: ranks are renumbered, so that a search of the part takes memory and time by
// its own size.
#pragma once

#include <span>
#include <vector>

#include "core/data.hpp"

namespace exactree::partition {

class PartData {
 public:
    // `rows` in ascending order, with all rows of a group or none.
    PartData(const Data& whole, std::span<const RowId> rows);
    PartData(const PartData&) = delete;
    PartData& operator=(const PartData&) = delete;

    const Data& data() const noexcept { return data_; }

 private:
    void renumber(const Data& whole, std::span<const RowId> rows, std::size_t column);

    std::vector<Rank> ranks_, met_;
    std::vector<std::int32_t> labels_;
    std::vector<Cost> gains_, bases_;
    std::vector<Size> sizes_;
    Data data_;
};

// Rows of one group follow each other; all but the first have a gain and no base.
inline bool continues_group(const Data& data, RowId row) { return data.base[row] == 0 && data.gain[row] > 0; }

// The first row of each group.
std::vector<RowId> group_starts(const Data& data);

}  // namespace exactree::partition
