// Qi et al., ICLR 2024: four methods, from the times that the paper profiled.
#include "core/experiments/measured/measured_data.h"
#include "core/experiments/measured/sets.h"

#include <nlohmann/json.hpp>

#include <memory>

namespace stagecraft::experiments {

namespace {

// Both were chosen by least squares over the rows of the 1.5B model.
constexpr double passOverheadS = 0.7e-3, longerInTheRun = 1.03;
constexpr char calibratedModel[] = "1.5B";

MeasuredProject projectOfMethod(const nlohmann::json& experiment, const nlohmann::json& values,
                                const std::string& method) {
    MeasuredProject made;
    Problem& problem = made.problem;
    const auto number = [&](const char* name) { return values.at(name).get<double>(); };
    Layer layer{.name = "layer",
                .forwardS = longerInTheRun * number("/profile/layers/0/forward_s"),
                .backwardS = longerInTheRun * number("/profile/layers/0/backward_s")};
    layer.weightGradientS = longerInTheRun * number("/profile/layers/0/weight_gradient_s");
    layer.outputBytes = number("/profile/layers/0/output_bytes");
    layer.outputGradientBytes = number("/profile/layers/0/output_gradient_bytes");
    const int layers = values.at("/profile/repeat/copies"), gpus = values.at("/cluster/gpus");
    problem.profile.name = "GPT, equal layers";
    problem.profile.source = experiment.at("base").at("profile").at("source");
    problem.profile.microbatchSize = values.at("/profile/microbatch_size");
    problem.profile.layers.assign(static_cast<std::size_t>(layers), layer);
    for (int i = 0; i < layers; ++i)
        problem.profile.layers[static_cast<std::size_t>(i)].name = "layer " + std::to_string(i);
    problem.cluster.name = std::to_string(gpus) + " A100";
    problem.cluster.switches.push_back({"switch", ""});
    for (int device = 0; device < gpus; ++device) {
        const std::string id = "gpu" + std::to_string(device);
        problem.cluster.devices.push_back({.id = id, .memoryBytes = 85899345920});
        problem.cluster.links.push_back(
            {.a = id, .b = "switch", .bandwidthBps = number("/cluster/bandwidth/0/Bps")});
    }
    problem.setup.microbatches = values.at("/setup/microbatches");
    problem.setup.mode = TrainingMode::asynchronous;
    problem.setup.channel = ChannelMode::fullDuplex;
    problem.setup.passOverheadS = passOverheadS;
    Plan& plan = made.plan;
    const int chunks = method == "Interleaved" ? values.at("/planners/Interleaved/chunks").get<int>() : 1;
    const int stages = gpus * chunks, each = layers / stages;
    for (int s = 0; s < stages; ++s) plan.stages.push_back({s * each, (s + 1) * each - 1, {s % gpus}});
    plan.schedule.order = FamilySchedule{method == "1F1B" ? "1f1b" : "interleaved", {}};
    if (method.starts_with("ZB")) {
        // Weights are updated without waiting for the other GPUs, and validated afterwards (Sec. 4).
        plan.schedule = {FamilySchedule{"zb-search", {{"limit", method == "ZB-1p" ? gpus : 2 * gpus}}}, true};
    } else {
        plan.miniBatch.barrier = true;
    }
    return made;
}

}  // namespace

MeasuredSet zeroBubbleSet() {
    MeasuredSet set{
        .id = "zero-bubble",
        .title = "Zero bubble: 1F1B, interleaved 1F1B, ZB-1p and ZB-2p on 8 to 32 A100",
        .source = "Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024, Tables 3, 4 and 9",
        .licence = "numbers of a paper",
        .quantity = MeasuredQuantity::samplesPerS,
        .basis =
            "The profiled means of forward, backward, weight gradient and transfer (Table 9), equal stages. "
            "Samples are those of all GPUs: the paper's times the GPUs.",
        .calibration =
            "0.7 ms for each pass and passes 3 % longer are calibrated on the twelve rows of 1.5B, which "
            "are not judged; the 36 of the three other models are."};
    const auto file = std::make_shared<const nlohmann::json>(
        nlohmann::json::parse(measuredData("measured/zero-bubble.experiment.json")));
    const nlohmann::json& cases = file->at("axes").at(0).at("cases");
    const nlohmann::json& printed = file->at("printed").at(0).at("values");
    for (std::size_t i = 0; i < cases.size(); ++i)
        for (const char* method : {"1F1B", "Interleaved", "ZB-1p", "ZB-2p"}) {
            const std::string label = cases[i].at("label");
            set.rows.push_back({.name = label.substr(0, label.find(' ')) + ", " +
                                        label.substr(label.find('=') + 1) + " microbatches, " + method,
                                .measured = printed.at(method).at(label),
                                .isCalibratedOn = label.starts_with(calibratedModel),
                                .project = [file, i, name = std::string(method)] {
                                    return projectOfMethod(
                                        *file, file->at("axes").at(0).at("cases")[i].at("set"), name);
                                }});
        }
    return set;
}

}  // namespace stagecraft::experiments
