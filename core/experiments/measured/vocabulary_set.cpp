// Yeung et al., MLSys 2025: the head on the last stage, and shared out.
#include "core/experiments/measured/measured_data.h"
#include "core/experiments/measured/sets.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <numeric>

namespace stagecraft::experiments {

namespace {

std::vector<double> secondsOf(const nlohmann::json& microseconds) {
    std::vector<double> seconds = microseconds.get<std::vector<double>>();
    for (double& each : seconds) each /= 1e6;
    return seconds;
}

double sumOfSeconds(const nlohmann::json& microseconds) {
    const std::vector<double> seconds = secondsOf(microseconds);
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

std::string familyOfMethod(const std::string& method) {
    return method == "interlaced"                          ? "interlaced"
           : method == "vocabulary parallel, two barriers" ? "vocab-1"
           : method == "vocabulary parallel, one barrier"  ? "vocab-2"
                                                           : "1f1b";
}

LayerProfile profileOfPasses(const nlohmann::json& row) {
    LayerProfile profile;
    profile.name = "GPT of 32 blocks, the measured passes of stages as layers";
    const std::vector<double> forward = secondsOf(row.at("forward_us")),
                              backward = secondsOf(row.at("backward_us"));
    const double passed = 2.0 * row.at("sequence").get<int>() * row.at("width").get<int>();
    const auto add = [&](double forwardS, double backwardS, double weightGradientS) -> Layer& {
        return profile.layers.emplace_back(Layer{"layer " + std::to_string(profile.layerCount()), forwardS,
                                                 backwardS, 0, passed, passed, 0, weightGradientS});
    };
    const bool shares = row.contains("vocabulary_passes_us");
    const nlohmann::json passes = shares ? row.at("vocabulary_passes_us") : nlohmann::json();
    if (shares) {
        const double lookup = sumOfSeconds(passes[1]), gradient = sumOfSeconds(passes[2]);
        add(lookup, gradient, gradient).vocabulary = VocabularyLayer::embedding;
    }
    for (std::size_t stage = 0; stage < forward.size(); ++stage)
        add(forward[stage], backward[stage], backward[stage] / 2);
    if (shares) {
        // One product forward, two backward, and S and T run together in each slot.
        const double both = sumOfSeconds(passes[0]);
        add(both / 3, both * 2 / 3, both / 3).vocabulary = VocabularyLayer::head;
    }
    return profile;
}

MeasuredProject projectOfVocabularyRow(const nlohmann::json& row) {
    MeasuredProject made;
    Problem& problem = made.problem;
    problem.profile = profileOfPasses(row);
    const int stages = row.at("stages"), layers = problem.profile.layerCount();
    problem.cluster.name = "8 A100 on NVSwitch";
    problem.cluster.switches.push_back({"switch", ""});
    for (int device = 0; device < stages; ++device) {
        const std::string id = "g" + std::to_string(device);
        problem.cluster.devices.push_back({.id = id, .memoryBytes = 80e9});
        problem.cluster.links.push_back({.a = id, .b = "switch", .bandwidthBps = 300e9});
    }
    problem.setup.microbatches = row.at("microbatches");
    problem.setup.transferOverheadS = 60e-6;
    const bool shares = layers > stages;
    for (int stage = 0; stage < stages; ++stage)
        made.plan.stages.push_back({stage + (shares && stage > 0 ? 1 : 0),
                                    stage + 1 == stages ? layers - 1 : stage + (shares ? 1 : 0),
                                    {stage}});
    made.plan.schedule.order = FamilySchedule{familyOfMethod(row.at("method")), {}};
    return made;
}

}  // namespace

MeasuredSet vocabularySet() {
    MeasuredSet set{
        .id = "vocabulary",
        .title = "1F1B with uneven stages, and shared output layers, on 8 A100",
        .source =
            "Yeung et al., Balancing Pipeline Parallelism with Vocabulary Parallelism, MLSys 2025; "
            "sail-sg/VocabularyParallelism, artifact/exp_one_host.csv at 6191c3bf",
        .licence = "BSD-type",
        .basis =
            "The median times of the passes of each stage in that run, links of 300 GB/s and 60 µs for each "
            "transfer or collective besides: what a schedule makes of known passes, not the passes.",
        .calibration = "Nothing is calibrated."};
    const auto rows = std::make_shared<const nlohmann::json>(
        nlohmann::json::parse(measuredData("measured/published/vocabulary-parallelism.json")).at("rows"));
    for (std::size_t i = 0; i < rows->size(); ++i) {
        const nlohmann::json& row = (*rows)[i];
        set.rows.push_back({.name = row.at("method").get<std::string>() + ", " + row.at("sequence").dump() +
                                    " tokens, " + row.at("vocabulary").dump() + " words",
                            .measured = row.at("iteration_ms").get<double>() / 1000,
                            .project = [rows, i] { return projectOfVocabularyRow((*rows)[i]); }});
    }
    return set;
}

}  // namespace stagecraft::experiments
