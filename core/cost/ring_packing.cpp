#include "core/cost/ring_packing.h"

#include "core/base/indices.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace stagecraft::cost {

namespace {

/// Of bandwidths that are at most 1: what is less is rounding.
constexpr double roundingOfRates = 1e-9;

/// Closed ways along links through all places, in the order of their places.
class RingSearch {
public:
    explicit RingSearch(const std::vector<std::vector<double>>& widths) : widths_(widths) {
        order_.push_back(0);
        isOn_.assign(widths.size(), false);
        isOn_[0] = true;
    }
    std::vector<std::vector<int>> all() {
        extend();
        return std::move(found_);
    }

private:
    void extend() {
        const auto last = at(order_.back());
        if (order_.size() == widths_.size()) {
            // Each way round once.
            if (order_[1] < order_.back() && widths_[last][0] > 0) found_.push_back(order_);
            return;
        }
        for (std::size_t next = 1; next < widths_.size(); ++next) {
            if (isOn_[next] || !(widths_[last][next] > 0)) continue;
            isOn_[next] = true;
            order_.push_back(static_cast<int>(next));
            extend();
            order_.pop_back();
            isOn_[next] = false;
        }
    }

    const std::vector<std::vector<double>>& widths_;
    std::vector<int> order_;
    std::vector<bool> isOn_;
    std::vector<std::vector<int>> found_;
};

/// The simplex method (Dantzig, 1951) on a table, for amounts of columns of zeros and ones whose rows are not
/// to add up to more than their limits; one objective after the other, each over what is left equally good.
class PackingTable {
public:
    PackingTable(std::size_t columns, const std::vector<double>& limits)
        : columns_(columns), left_(limits), cells_(limits.size()), isOpen_(columns + limits.size(), true) {
        for (std::size_t row = 0; row < limits.size(); ++row) {
            cells_[row].assign(isOpen_.size(), 0);
            cells_[row][columns + row] = 1;  // what its limit leaves
            base_.push_back(columns + row);
        }
    }
    void put(std::size_t row, std::size_t column) { cells_[row][column] = 1; }

    /// The greatest sum of amounts, each times its gain, by column; what would make it less stays 0 from then
    /// on.
    void maximise(std::vector<double> gains) {
        gains.resize(isOpen_.size(), 0);
        for (std::size_t row = 0; row < base_.size(); ++row)
            if (const double gain = gains[base_[row]]; gain != 0)
                for (std::size_t column = 0; column < gains.size(); ++column)
                    gains[column] -= gain * cells_[row][column];
        for (int steps = 0; const auto column = entering(gains, steps); ++steps) {
            const std::size_t row = leaving(*column);
            pivot(row, *column);
            const double gain = gains[*column];
            for (std::size_t each = 0; each < gains.size(); ++each) gains[each] -= gain * cells_[row][each];
        }
        for (std::size_t column = 0; column < gains.size(); ++column)
            if (gains[column] < -roundingOfRates) isOpen_[column] = false;
    }
    bool isOpen(std::size_t column) const { return isOpen_[column]; }
    bool isUnique() const { return at(static_cast<int>(std::ranges::count(isOpen_, true))) <= base_.size(); }
    std::vector<double> amounts() const {
        std::vector<double> amounts(columns_, 0);
        for (std::size_t row = 0; row < base_.size(); ++row)
            if (base_[row] < columns_) amounts[base_[row]] = left_[row];
        return amounts;
    }

private:
    /// The column that gains most; after many steps the first, so that they end (Bland, 1977).
    std::optional<std::size_t> entering(const std::vector<double>& gains, int steps) const {
        constexpr int manySteps = 500;
        std::optional<std::size_t> best;
        for (std::size_t column = 0; column < gains.size(); ++column) {
            if (!isOpen_[column] || gains[column] <= (best ? gains[*best] : roundingOfRates)) continue;
            best = column;
            if (steps >= manySteps) break;
        }
        return best;
    }
    std::size_t leaving(std::size_t column) const {
        std::size_t best = base_.size();
        for (std::size_t row = 0; row < base_.size(); ++row) {
            if (!(cells_[row][column] > roundingOfRates)) continue;
            if (best == base_.size()) {
                best = row;
                continue;
            }
            const double less = left_[row] / cells_[row][column] - left_[best] / cells_[best][column];
            if (less < -roundingOfRates || (less <= roundingOfRates && base_[row] < base_[best])) best = row;
        }
        return best;
    }
    void pivot(std::size_t row, std::size_t column) {
        const double by = cells_[row][column];
        for (double& cell : cells_[row]) cell /= by;
        left_[row] /= by;
        for (std::size_t other = 0; other < base_.size(); ++other) {
            const double times = cells_[other][column];
            if (other == row || times == 0) continue;
            for (std::size_t each = 0; each < isOpen_.size(); ++each)
                cells_[other][each] -= times * cells_[row][each];
            left_[other] = std::max(0.0, left_[other] - times * left_[row]);
        }
        base_[row] = column;
    }

    std::size_t columns_;
    std::vector<double> left_;
    std::vector<std::vector<double>> cells_;
    std::vector<std::size_t> base_;  // by row: the column of which left_ is the amount
    std::vector<bool> isOpen_;       // whether it may be above 0
};

}  // namespace

double RingPacking::bps() const {
    double all = 0;
    for (const LaidRing& ring : rings) all += 2 * ring.bps;
    return all;
}

RingPacking packedRings(const std::vector<std::vector<double>>& widthsBps) {
    const std::size_t count = widthsBps.size();
    if (count < 2) return {};
    // Both ways between two are the same.
    if (count == 2) return widthsBps[0][1] > 0 ? RingPacking{{{{0, 1}, widthsBps[0][1] / 2}}} : RingPacking{};
    const std::vector<std::vector<int>> orders = RingSearch(widthsBps).all();
    if (orders.empty()) return {};
    std::vector<std::vector<std::size_t>> rowOf(count, std::vector<std::size_t>(count, 0));
    std::vector<double> limits;
    double widest = 0;
    for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = a + 1; b < count; ++b) {
            widest = std::max(widest, widthsBps[a][b]);
            if (!(widthsBps[a][b] > 0)) continue;
            rowOf[a][b] = rowOf[b][a] = limits.size();
            limits.push_back(widthsBps[a][b]);
        }
    for (double& limit : limits) limit /= widest;
    PackingTable table(orders.size(), limits);
    for (std::size_t ring = 0; ring < orders.size(); ++ring)
        for (std::size_t place = 0; place < count; ++place)
            table.put(rowOf[at(orders[ring][place])][at(orders[ring][(place + 1) % count])], ring);
    table.maximise(std::vector<double>(orders.size(), 1));
    for (std::size_t ring = 0; ring < orders.size() && !table.isUnique(); ++ring) {
        if (!table.isOpen(ring)) continue;
        std::vector<double> gains(orders.size(), 0);
        gains[ring] = 1;
        table.maximise(std::move(gains));
    }
    RingPacking packing;
    const std::vector<double> amounts = table.amounts();
    for (std::size_t ring = 0; ring < orders.size(); ++ring)
        if (amounts[ring] > roundingOfRates) packing.rings.push_back({orders[ring], amounts[ring] * widest});
    return packing;
}

}  // namespace stagecraft::cost
