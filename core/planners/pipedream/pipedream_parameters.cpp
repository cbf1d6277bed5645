#include "core/planners/pipedream/pipedream_parameters.h"

namespace stagecraft::planners {

namespace {

Parameter choice(std::string name, std::string label, std::string description, std::string usual,
                 std::vector<std::string> choices) {
    return {std::move(name),   std::move(label), std::move(description), std::move(usual), 0, 0,
            std::move(choices)};
}

constexpr double mostMicrobatches = 1000;

Parameter whole(std::string name, std::string label, std::string description) {
    return {std::move(name), std::move(label), std::move(description), 0, 0, mostMicrobatches, {}};
}

Parameter yesNo(std::string name, std::string label, std::string description) {
    return {std::move(name), std::move(label), std::move(description), false, 0, 1, {}};
}

std::vector<Parameter> planningParameters() {
    Parameter outer{
        "bandwidth_Bps",
        "Bandwidth between machines",
        "PipeDream knows one bandwidth per level: bytes per second between any two devices (flat), any "
        "two servers, or over the outermost level. 0: the smallest device-to-device bandwidth of the "
        "cluster, so that no transfer is slower than it plans for. Inside a server it always takes the "
        "smallest there.",
        0.0,
        0,
        1e15,
        {}};
    Parameter each =
        choice("level_bandwidths", "Bandwidth of each level",
               "What to plan with instead of the cluster's bandwidths, innermost level first, with "
               "commas between: 25 GB/s, 10 Gbit/s. 0 keeps a level's own; cluster: all keep theirs.",
               "cluster", {"cluster"});
    each.othersToo = true;
    return {
        choice(
            "variant", "Formula",
            "How a stage that is replicated pays for summing its gradients (E-PD-2). paper: as printed in "
            "Sec. "
            "3.1, beside its compute. ring: with the bytes that a ring moves. released: as in the released "
            "planner, on top of its compute, cutting between single nodes of the graph where the profile has "
            "one.",
            "paper", {"paper", "ring", "released"}),
        choice(
            "levels", "Levels",
            "flat: all devices are alike and joined at one bandwidth, as SPP compares PipeDream (Sec. V-A). "
            "servers: first inside a server, then between servers (PipeDream Sec. 3.1); needs servers of "
            "equal "
            "size. automatic: as many levels as the cluster's bandwidths show in groups of equal size.",
            "flat", {"flat", "servers", "automatic"}),
        std::move(outer),
        std::move(each),
        yesNo("straight", "Straight pipeline", "No stage is replicated: each device is its own stage."),
        choice("transfers", "Transfers",
               "free: the released planner leaves transfers between stages out, unless it is set to count "
               "them. "
               "paid: it counts them. Under the other formulas they are always counted.",
               "free", {"free", "paid"}),
        yesNo("memory_check", "Memory check",
              "Leave out stages that do not fit: activations of all minibatches in flight, each with its "
              "version "
              "of the weights (MODEL.md, section 6). Within a group of machines what follows outside is not "
              "counted."),
        choice("gradient_sync", "Gradients summed",
               "How often the partitioner charges a replicated stage for summing its gradients. "
               "every-microbatch: "
               "as PipeDream's formula is printed, for what it calls a minibatch is what the pipeline passes "
               "on. "
               "every-iteration: once for all microbatches between two updates, which is what a barrier "
               "makes of "
               "it.",
               "every-microbatch", {"every-microbatch", "every-iteration"}),
    };
}

std::vector<Parameter> executionParameters() {
    return {
        choice("replication", "Replicas",
               "split: every microbatch is split over a stage's replicas, SPP's system model (Sec. III-B) in "
               "which "
               "it compares all planners. round-robin: microbatch t runs whole on replica t mod k, "
               "PipeDream's own "
               "1F1B-RR (Sec. 3.2). automatic: round-robin in asynchronous training, else split.",
               "automatic", {"automatic", "split", "round-robin"}),
        choice(
            "weights", "Weights",
            "Asynchronous training alone. stashing: a backward uses the weights of its forward (Sec. 3.3). "
            "vertical-sync: those that the input stage had, on every stage. none: whatever is current. 2bw: "
            "two versions, one update behind (PipeDream-2BW). flush: the pipeline runs empty before each "
            "update (PipeDream-Flush).",
            "stashing", {"stashing", "vertical-sync", "none", "2bw", "flush"}),
        whole("update_every", "Microbatches per update",
              "Asynchronous training alone. 0: one, as PipeDream updates after each minibatch; 2bw and "
              "flush: the "
              "setup's M, for 2bw at least as many as the pipeline holds."),
        yesNo("update_by_round", "Update by round",
              "Asynchronous training alone, with update_every 0 on stashed weights. On: an update comes when "
              "each replica of the most replicated stage has had a microbatch, so that gradients are summed "
              "as often as the partitioner's formula charges it; off: after every microbatch."),
        whole("extra_in_flight", "More in flight",
              "Microbatches that a stage begins beyond NOAM for each stage after it. NOAM is just enough if "
              "transfers take no time; more of them hide transfers and cost memory."),
    };
}

}  // namespace

PlannerDescription pipeDreamDescription() {
    PlannerDescription description;
    description.id = "pipedream";
    description.title = "PipeDream";
    description.paper =
        "Narayanan, Harlap, Phanishayee, Seshadri, Devanur, Ganger, Gibbons, Zaharia: PipeDream: "
        "Generalized Pipeline Parallelism for DNN Training, SOSP 2019";
    description.summary =
        "Balances the slowest stage or transfer over levels of machines, with replicated stages, and runs "
        "one "
        "forward, one backward: on stashed weights, or with a barrier in synchronous training.";
    description.parameters = planningParameters();
    for (Parameter& parameter : executionParameters()) description.parameters.push_back(std::move(parameter));
    description.claims = {.oneStagePerDevice = true};
    description.plansWithoutBarrier = true;
    description.checksMemory = true;
    return description;
}

PipeDreamChoices::PipeDreamChoices(const ParameterValues& values) {
    const auto text = [&](const char* name) { return std::get<std::string>(values.at(name)); };
    variant = text("variant");
    levels = text("levels");
    bandwidths = text("level_bandwidths");
    weights = text("weights");
    replication = text("replication");
    outerBandwidthBps = std::get<double>(values.at("bandwidth_Bps"));
    straight = std::get<bool>(values.at("straight"));
    paysTransfers = text("transfers") == "paid";
    checksMemory = std::get<bool>(values.at("memory_check"));
    syncsEveryMicrobatch = text("gradient_sync") == "every-microbatch";
    updateEvery = std::get<int>(values.at("update_every"));
    updatesByRound = std::get<bool>(values.at("update_by_round"));
    extraInFlight = std::get<int>(values.at("extra_in_flight"));
}

}  // namespace stagecraft::planners
