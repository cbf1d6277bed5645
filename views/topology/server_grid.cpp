#include "views/topology/server_grid.h"

#include "views/topology/switch_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace stagecraft::views::topology {

namespace {

constexpr double gridAspect = 1.6;
constexpr double ragged = 1.2;  // how much worse an empty place in the last row is than a wrong aspect

double sumOf(const std::vector<double>& all, int count) {
    return std::accumulate(all.begin(), all.begin() + count, 0.0) + count * street;
}

}  // namespace

ServerGrid::ServerGrid(std::vector<QSizeF> sizes, int together)
    : sizes_(std::move(sizes)), down_(together > 1) {
    int best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (int columns = 1; columns <= count(); ++columns) {
        arrange(columns);
        if (down_ && columns > 1 && (rows_ % together != 0 || (columns - 1) * rows_ >= count())) continue;
        if (const double own = cost(); own < least) {
            least = own;
            best = columns;
        }
    }
    arrange(best);
}

void ServerGrid::arrange(int columns) {
    columns_ = columns;
    rows_ = columns > 0 ? (count() + columns - 1) / columns : 0;
    widths_.assign(static_cast<std::size_t>(columns_), 0);
    heights_.assign(static_cast<std::size_t>(rows_), 0);
    for (int i = 0; i < count(); ++i) {
        const QSizeF& size = sizes_[static_cast<std::size_t>(i)];
        double& width = widths_[static_cast<std::size_t>(columnOf(i))];
        double& height = heights_[static_cast<std::size_t>(rowOf(i))];
        width = std::max(width, size.width());
        height = std::max(height, size.height());
    }
}

double ServerGrid::cost() const {
    const double shape = std::abs(std::log(width() / height() / gridAspect));
    const bool alike =
        std::all_of(sizes_.begin(), sizes_.end(), [&](const QSizeF& size) { return size == sizes_.front(); });
    if (alike) return shape + ragged * (columns_ * rows_ - count()) / columns_;
    double used = 0;
    for (const QSizeF& size : sizes_) used += size.width() * size.height();
    return shape + 1 - used / (width() * height());
}

int ServerGrid::rowOf(int index) const { return down_ ? index % rows_ : index / columns_; }
int ServerGrid::columnOf(int index) const { return down_ ? index / rows_ : index % columns_; }
double ServerGrid::width() const { return std::max(0.0, sumOf(widths_, columns_) - street); }
double ServerGrid::height() const { return std::max(0.0, sumOf(heights_, rows_) - street); }
double ServerGrid::top(int row) const { return sumOf(heights_, row); }

QPointF ServerGrid::corner(int index) const {
    const int column = columnOf(index);
    const double spare =
        widths_[static_cast<std::size_t>(column)] - sizes_[static_cast<std::size_t>(index)].width();
    return {sumOf(widths_, column) + spare / 2, top(rowOf(index))};
}

}  // namespace stagecraft::views::topology
