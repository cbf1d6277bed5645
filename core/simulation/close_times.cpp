#include "core/simulation/close_times.h"

#include "core/base/indices.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::simulation {

void CloseTimes::add(std::span<const double> run) {
    if (!run.empty()) runs_.push_back(run);
}

std::vector<TimeRange> CloseTimes::find() {
    constexpr std::size_t inAPiece = 1024, leastOfARun = 8, cellsATime = 4;
    if (runs_.empty()) return {};
    perRun_ = std::max(leastOfARun, inAPiece / runs_.size());
    cells_.assign(cellsATime * perRun_ * runs_.size() + 2, {-infinity, -infinity});
    while (!runs_.empty()) {
        takePiece(endOfPieceS());
        std::erase_if(runs_, [](const std::span<const double>& run) { return run.empty(); });
        joinFound();
    }
    std::erase_if(ranges_, [](const TimeRange& range) { return range.firstS == range.lastS; });
    return std::move(ranges_);
}

double CloseTimes::toleranceS(double timeS) const { return relative_ * (std::abs(timeS) + originS_); }

bool CloseTimes::close(double earlierS, double laterS) const {
    return laterS - earlierS <= toleranceS(laterS);
}

double CloseTimes::endOfPieceS() const {
    double endS = infinity, lastS = -infinity;
    for (const std::span<const double>& run : runs_) {
        if (run.size() > perRun_) endS = std::min(endS, run[perRun_ - 1]);
        lastS = std::max(lastS, run.back());
    }
    return std::min(endS, lastS);
}

/// What the next piece takes of a run: more runs are read at once than a processor follows by itself.
void CloseTimes::fetch(std::span<const double> run) const {
    constexpr std::size_t inALine = 8;
    for (std::size_t i = 0; i < std::min(run.size(), perRun_ + inALine); i += inALine)
        __builtin_prefetch(run.data() + i);
}

void CloseTimes::takePiece(double endS) {
    pieceS_ = infinity;
    for (const std::span<const double>& run : runs_) pieceS_ = std::min(pieceS_, run.front());
    const double cellsASecond = static_cast<double>(cells_.size() - 2) / (endS - pieceS_);
    const bool fits = std::isfinite(cellsASecond) && cellsASecond > 0;
    // Off the edges, where even times would be otherwise.
    constexpr double offset = 0.38;
    // What is so near the edge of its cell may be close to what is in the next one. Places round, too.
    const double edge = toleranceS(std::max(std::abs(pieceS_), std::abs(endS))) * cellsASecond + 1e-9,
                 middle = 0.5 - edge;
    for (std::span<const double>& run : runs_) {
        std::size_t taken = 0;
        for (; taken < run.size() && run[taken] <= endS; ++taken)
            if (fits)
                place(run[taken], (run[taken] - pieceS_) * cellsASecond + offset, middle);
            else
                found_.push_back({run[taken], run[taken]});
        run = run.subspan(taken);
        fetch(run);
    }
    for (const std::uint32_t cell : notable_) found_.push_back(cells_[cell]);
    notable_.clear();
    for (const double timeS : {pieceS_, endS})
        found_.push_back({timeS, timeS});  // close to the next piece's?
}

inline void CloseTimes::place(double timeS, double place, double middle) {
    const auto cell = static_cast<std::uint32_t>(place);
    TimeRange& range = cells_[cell];
    const bool isNew = range.lastS < pieceS_, isKnown = range.firstS <= timeS && timeS <= range.lastS;
    if (!isNew && !isKnown) [[unlikely]]
        placeApart(timeS, cell);
    else
        range = {isNew ? timeS : range.firstS, isNew ? timeS : range.lastS};
    if (std::abs(place - cell - 0.5) >= middle) [[unlikely]]
        found_.push_back({timeS, timeS});
}

void CloseTimes::placeApart(double timeS, std::uint32_t cell) {
    TimeRange& range = cells_[cell];
    notable_.push_back(cell);
    if (timeS > range.lastS && close(range.lastS, timeS)) {
        range.lastS = timeS;
    } else if (timeS < range.firstS && close(timeS, range.firstS)) {
        range.firstS = timeS;
    } else {
        found_.push_back(range);
        range = {timeS, timeS};
    }
}

void CloseTimes::joinFound() {
    std::sort(found_.begin(), found_.end(),
              [](const TimeRange& a, const TimeRange& b) { return a.firstS < b.firstS; });
    for (const TimeRange& each : found_)
        if (!ranges_.empty() && close(ranges_.back().lastS, each.firstS))
            ranges_.back().lastS = std::max(ranges_.back().lastS, each.lastS);
        else if (!ranges_.empty() && ranges_.back().firstS == ranges_.back().lastS)
            ranges_.back() = each;
        else
            ranges_.push_back(each);
    found_.clear();
}

}  // namespace stagecraft::simulation
