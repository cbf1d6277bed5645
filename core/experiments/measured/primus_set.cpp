// A run that Primus published: earlier iterations of it, and what later ones took.
#include "core/experiments/measured/measured_data.h"
#include "core/experiments/measured/sets.h"

#include <algorithm>
#include <numeric>

namespace stagecraft::experiments {

namespace {

constexpr int primusRanks = 8, primusMicrobatches = 16;
// The first four warm up.
constexpr int firstKnown = 5, lastKnown = 12, firstJudged = 13, lastJudged = 20;

double middleOf(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    return values.size() % 2 ? values.at(half) : (values.at(half - 1) + values.at(half)) / 2;
}

/// Of a rank's iterations, in seconds.
double middleOfRank(int rank, const char* column, int first, int last) {
    std::vector<double> values;
    for (const MeasuredCells& row : measuredTable("measured/published/primus-pp8.csv"))
        if (const int iteration = std::stoi(row.at("iteration"));
            std::stoi(row.at("rank")) == rank && iteration >= first && iteration <= last)
            values.push_back(std::stod(row.at(column)) / 1e3);
    return middleOf(std::move(values));
}

MeasuredProject projectOfPrimus() {
    MeasuredProject made;
    Problem& problem = made.problem;
    problem.profile.name = "Stages of Primus' run, as layers";
    problem.cluster.name = "8 MI300";
    problem.cluster.switches.push_back({"switch", ""});
    for (int rank = 0; rank < primusRanks; ++rank) {
        problem.profile.layers.push_back(
            {.name = "stage " + std::to_string(rank),
             .forwardS = middleOfRank(rank, "forward_ms", firstKnown, lastKnown),
             .backwardS = middleOfRank(rank, "backward_ms", firstKnown, lastKnown)});
        const std::string id = "gpu" + std::to_string(rank);
        problem.cluster.devices.push_back({.id = id, .memoryBytes = 192e9});
        problem.cluster.links.push_back({.a = id, .b = "switch", .bandwidthBps = 64e9});
        made.plan.stages.push_back({rank, rank, {rank}});
    }
    problem.setup.microbatches = primusMicrobatches;
    made.plan.schedule.order = FamilySchedule{"1f1b", {}};
    return made;
}

}  // namespace

MeasuredSet primusSet() {
    MeasuredSet set{
        .id = "primus",
        .title = "Primus: 1F1B on 8 MI300",
        .source =
            "AMD-AGI/Primus, the passes of 20 iterations of a run in 8 stages (dump_pp_data); of each "
            "rank and iteration the medians are kept",
        .licence = "MIT",
        .basis =
            "The median forward and backward of each stage in iterations 5 to 12; what is sent is taken to "
            "need no time, as the file does not say. Judged is the median of iterations 13 to 20.",
        .calibration = "Nothing is calibrated; passes are of other iterations of the same run."};
    set.rows = {{.name = "8 stages, 16 microbatches, iterations 13 to 20",
                 .measured = middleOfRank(0, "iteration_ms", firstJudged, lastJudged),
                 .project = projectOfPrimus}};
    return set;
}

}  // namespace stagecraft::experiments
