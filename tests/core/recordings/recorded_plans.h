#pragma once

#include "core/formats/recordings/import.h"
#include "core/formats/traces/trace_json.h"
#include "core/planners/planned_run.h"
#include "core/recordings/recorded_run.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"
#include "tests/support/every_room.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <fstream>
#include <string>

namespace stagecraft::testing {

inline const std::filesystem::path measuredTraces =
    std::filesystem::path(STAGECRAFT_SHARED_DIR) / "traces/kineto";
inline const std::filesystem::path primusRun =
    std::filesystem::path(STAGECRAFT_SHARED_DIR) / "measured/primus-pp8";
inline const std::filesystem::path twoStages =
    std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "samples/measured/two-stages";

/// A chain of layers of a millisecond or so on as many GPUs as there are ranks.
inline Problem chainProblem(int layers, int ranks, int microbatches, double lagS = 1e-4) {
    Problem problem;
    for (int layer = 0; layer < layers; ++layer)
        problem.profile.layers.push_back({"l" + std::to_string(layer), 1e-3, 2e-3, 8, 1e6, 1e6, 16, 1e-3});
    for (int rank = 0; rank < ranks; ++rank) {
        problem.cluster.devices.push_back({"g" + std::to_string(rank), "s", "", 1e9, 1, 0});
        for (int other = 0; other < rank; ++other)
            problem.cluster.links.push_back({"g" + std::to_string(other), "g" + std::to_string(rank),
                                             lagS > 0 ? 1e6 / lagS : 1e15, 0, ""});
    }
    problem.setup.microbatches = microbatches;
    return problem;
}

/// Equal stages under a family at its first parameters.
inline PlanRun familyRun(const Problem& problem, const std::string& family) {
    const auto costs = std::make_shared<const CostModel>(problem);
    const ScheduleFamily& own = *findScheduleFamily(family);
    return evaluatePlan(costs, equalLayersUnder(*costs, own, defaultValues(settingsOf(own))));
}

inline std::string traceOf(const Recording& recording) {
    std::string text;
    writeTraceJson(traceContent(recording), [&](std::string_view bytes) { text += bytes; });
    return text;
}

/// The passes of a device as PyTorch's profiler has them on the CPU, in microseconds from `fromUs`.
inline std::string annotatedTrace(const Recording& recording, int device, double fromUs, bool onGpu) {
    nlohmann::json events = nlohmann::json::array();
    const Timeline& timeline = recording.timeline;
    int id = 0;
    for (const Lane& lane : timeline.lanes) {
        if (lane.kind != LaneKind::compute || lane.devices.front() != device) continue;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            if (!isPass(timeline.kind[block]) || timeline.kind[block] == BlockKind::pair) continue;
            const char letter = passKind(timeline.kind[block]).letter;
            const std::string name = "PP:" + std::to_string(timeline.stage[block]) + letter +
                                     std::to_string(timeline.microbatch[block]);
            const double ts = fromUs + timeline.startS[block] * 1e6, dur = timeline.durationS(block) * 1e6;
            events.push_back({{"ph", "X"},
                              {"cat", "user_annotation"},
                              {"name", name},
                              {"pid", 700 + device},
                              {"tid", 1},
                              {"ts", onGpu ? ts / 2 : ts},
                              {"dur", dur},
                              {"args", {{"External id", ++id}}}});
            if (onGpu)
                events.push_back({{"ph", "X"},
                                  {"cat", "gpu_user_annotation"},
                                  {"name", name},
                                  {"pid", 0},
                                  {"tid", 7},
                                  {"ts", ts},
                                  {"dur", dur},
                                  {"args", {{"External id", id}}}});
        }
    }
    return nlohmann::json{{"schemaVersion", 1},
                          {"distributedInfo", {{"rank", device}, {"world_size", 4}}},
                          {"traceEvents", events}}
        .dump();
}

/// A recording whose passes take anything from as long as they did to twice as long; each lane stays in
/// order.
inline Recording jittered(Recording recording, std::mt19937& random, double most = 1) {
    // Later blocks move on by what earlier ones of all lanes took longer: nothing begins before its input.
    Timeline& timeline = recording.timeline;
    std::vector<std::uint32_t> order(timeline.blockCount());
    for (std::uint32_t block = 0; block < order.size(); ++block) order[block] = block;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return timeline.startS[a] < timeline.startS[b];
    });
    const std::vector<double> startS = timeline.startS, endS = timeline.endS;
    for (const std::uint32_t block : order) {
        double earliestS = 0;
        const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.laneOf(block))];
        if (block > lane.firstBlock) earliestS = timeline.endS[block - 1] + startS[block] - endS[block - 1];
        for (const std::uint32_t input : recording.inputsOf(block))
            earliestS = std::max(earliestS, timeline.endS[input]);
        if (block > lane.firstBlock && earliestS > timeline.endS[block - 1] &&
            !recording.inputsOf(block).empty()) {
            double inputS = timeline.endS[block - 1];
            for (const std::uint32_t input : recording.inputsOf(block))
                inputS = std::max(inputS, timeline.endS[input]);
            earliestS = inputS;
        }
        const double factor = 1 + most * double(random() % 1000) / 1000;
        timeline.startS[block] = earliestS;
        timeline.endS[block] = earliestS + factor * (endS[block] - startS[block]);
    }
    recording.iterations.clear();
    recording.iterations = {{0, timeline.lastEndS()}};
    return recording;
}

/// A folder of files that is gone afterwards.
class TraceFolder {
public:
    TraceFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "stagecraft-traces-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    ~TraceFolder() { std::filesystem::remove_all(path_); }
    TraceFolder(const TraceFolder&) = delete;
    TraceFolder& operator=(const TraceFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path add(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return path_ / name;
    }

private:
    std::filesystem::path path_;
};

}  // namespace stagecraft::testing
