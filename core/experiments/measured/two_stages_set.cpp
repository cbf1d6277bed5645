// Two stages on the halves of one H100, measured by samples/measured/two_stages_on_one_gpu.py.
#include "core/experiments/measured/measured_data.h"
#include "core/experiments/measured/sets.h"
#include "core/formats/native/formats.h"

#include <algorithm>

namespace stagecraft::experiments {

namespace {

constexpr char twoStagesFolder[] = "measured/two-stages/";
constexpr int warmIterations = 3;

/// Seconds of an iteration without the update of weights: the median of those after the first three.
double medianOfHalves(const std::string& name) {
    std::map<int, double> ends;
    for (const MeasuredCells& row : measuredTable(twoStagesFolder + name + ".passes.csv"))
        if (const int iteration = std::stoi(row.at("iteration"));
            iteration >= warmIterations && row.at("pass") != "update")
            ends[iteration] = std::max(ends[iteration], std::stod(row.at("end_s")));
    std::vector<double> seconds;
    for (const auto& [iteration, end] : ends) seconds.push_back(end);
    std::ranges::sort(seconds);
    return seconds.at(seconds.size() / 2);
}

/// From the layers as they were measured on one half, the other at rest.
MeasuredProject projectOnHalves(const std::string& family, int layersInFirst) {
    const std::string profile = std::string(twoStagesFolder) + "half-of-an-h100.profile.json",
                      cluster = std::string(twoStagesFolder) + "halves.cluster.json";
    MeasuredProject made;
    made.problem.profile = readProfile(measuredData(profile), profile);
    made.problem.cluster = readCluster(measuredData(cluster), cluster);
    made.problem.setup = {.microbatches = 8, .optimizer = Optimizer::sgd};
    made.plan.stages = {{0, layersInFirst - 1, {0}},
                        {layersInFirst, made.problem.profile.layerCount() - 1, {1}}};
    made.plan.schedule = {FamilySchedule{family, {}}};
    return made;
}

}  // namespace

MeasuredSet twoStagesSet() {
    return {
        .id = "two-stages",
        .title = "Two stages of Llama 3 on the halves of one H100",
        .source = "measured for Stagecraft by samples/measured/two_stages_on_one_gpu.py",
        .licence = "as Stagecraft",
        .basis =
            "Each layer measured alone on one half, the other at rest. Measured is the median of "
            "iterations 3 to 7 without the update of weights.",
        .calibration = "Nothing is calibrated.",
        .rows = {{.name = "1F1B, 8 of 15 layers first",
                  .measured = medianOfHalves("1f1b"),
                  .project = [] { return projectOnHalves("1f1b", 8); }},
                 {.name = "GPipe, 8 of 15 layers first",
                  .measured = medianOfHalves("gpipe"),
                  .project = [] { return projectOnHalves("gpipe", 8); }},
                 {.name = "1F1B, 11 of 15 layers first", .measured = medianOfHalves("uneven"), .project = [] {
                      return projectOnHalves("1f1b", 11);
                  }}}};
}

}  // namespace stagecraft::experiments
