#include "core/planners/vpipe/migration_rates.h"

#include "core/base/indices.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stagecraft::planners::vpipe {

namespace {

constexpr double mostWindows = 1e6;
constexpr int stepsPerWindow = 8;

double overlapS(const Timeline& timeline, std::uint32_t block, double fromS, double untilS) {
    return std::max(0.0, std::min(untilS, timeline.endS[block]) - std::max(fromS, timeline.startS[block]));
}

bool isUseful(BlockKind kind) { return kind == BlockKind::forward || kind == BlockKind::backward; }

std::vector<std::size_t> computeLanes(const Timeline& timeline) {
    std::vector<std::size_t> lanes;
    for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane)
        if (timeline.lanes[lane].kind == LaneKind::compute) lanes.push_back(lane);
    return lanes;
}

std::vector<bool> movedBlocks(const Migration& migration) {
    std::vector<bool> moved(migration.timeline.blockCount(), false);
    for (const MigrationMove& move : migration.moves)
        if (move.block != noBlock) moved[move.block] = true;
    return moved;
}

/// Adds what a block does to each of the windows that it touches.
template <typename Add>
void spread(const Timeline& timeline, std::uint32_t block, std::vector<MigrationRate>& windows,
            double windowS, Add add) {
    if (!(timeline.endS[block] > timeline.startS[block])) return;
    const auto first = static_cast<std::size_t>(timeline.startS[block] / windowS);
    for (std::size_t w = first; w < windows.size() && windows[w].startS < timeline.endS[block]; ++w)
        add(windows[w], overlapS(timeline, block, windows[w].startS, windows[w].endS) /
                            (windows[w].endS - windows[w].startS));
}

double migratedBytes(const Migration& migration, double fromS, double untilS) {
    double bytes = 0;
    for (const MigrationMove& move : migration.moves) {
        const double durationS = migration.timeline.endS[move.block] - migration.timeline.startS[move.block];
        if (durationS > 0)
            bytes += move.bytes * overlapS(migration.timeline, move.block, fromS, untilS) / durationS;
    }
    return bytes;
}

}  // namespace

std::vector<MigrationRate> migrationRates(const Migration& migration, double windowS) {
    const Timeline& timeline = migration.timeline;
    const double endS = timeline.lastEndS();
    if (!(windowS > 0) || endS / windowS > mostWindows)
        throw std::invalid_argument("windows of " + std::to_string(windowS) +
                                    " s are too short; expected a million of them at most");
    const std::vector<std::size_t> lanes = computeLanes(timeline);
    std::vector<MigrationRate> windows;
    for (double startS = 0; startS < endS; startS = static_cast<double>(windows.size()) * windowS)
        windows.push_back(
            {startS, std::min(startS + windowS, endS), 0, 0, 0, 0, std::vector<double>(lanes.size(), 0.0)});
    const std::vector<bool> moved = movedBlocks(migration);
    const auto devices = static_cast<double>(lanes.size());
    for (std::size_t device = 0; device < lanes.size(); ++device) {
        const Lane& lane = timeline.lanes[lanes[device]];
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            const BlockKind kind = timeline.kind[block];
            if (!isUseful(kind) && kind != BlockKind::recompute) continue;
            spread(timeline, block, windows, windowS, [&](MigrationRate& window, double share) {
                (isUseful(kind) ? window.utilisation : window.repeated) += share / devices;
                window.computing[device] += share;
            });
        }
    }
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
        const double durationS = timeline.durationS(block);
        const double bytes = migration.blockBytes[block];
        if (!(bytes > 0) || !(durationS > 0)) continue;
        spread(timeline, block, windows, windowS, [&](MigrationRate& window, double share) {
            (moved[block] ? window.migrationBps : window.trainingBps) += share * bytes / durationS;
        });
    }
    return windows;
}

double peakMigrationBps(const Migration& migration, double windowS) {
    // Moving the window gains until something leaves it at its begin or nothing more enters at its end.
    double most = 0;
    for (const MigrationMove& move : migration.moves) {
        const double startS = migration.timeline.startS[move.block],
                     endS = migration.timeline.endS[move.block];
        most = std::max({most, migratedBytes(migration, startS, startS + windowS),
                         migratedBytes(migration, endS - windowS, endS)});
    }
    return most / windowS;
}

double leastUtilisation(const Migration& migration, double windowS) {
    const Timeline& timeline = migration.timeline;
    const std::vector<std::size_t> lanes = computeLanes(timeline);
    double fullS = 0, drainsS = timeline.lastEndS();
    std::vector<MigrationRate> fine = migrationRates(migration, windowS / stepsPerWindow);
    for (const std::size_t number : lanes) {
        const Lane& lane = timeline.lanes[number];
        double firstS = drainsS, lastS = 0;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            if (timeline.kind[block] == BlockKind::backward)
                firstS = std::min(firstS, timeline.startS[block]);
            if (timeline.kind[block] == BlockKind::forward) lastS = std::max(lastS, timeline.endS[block]);
        }
        fullS = std::max(fullS, firstS);
        drainsS = std::min(drainsS, lastS);
    }
    std::erase_if(fine,
                  [&](const MigrationRate& each) { return each.startS < fullS || each.endS > drainsS; });
    double least = 1;
    for (std::size_t i = 0; i + stepsPerWindow <= fine.size(); ++i) {
        double sum = 0;
        for (std::size_t j = i; j < i + stepsPerWindow; ++j) sum += fine[j].utilisation;
        least = std::min(least, sum / stepsPerWindow);
    }
    return least;
}

}  // namespace stagecraft::planners::vpipe
