// Piper's BERT-32 (Tarnawski et al., NeurIPS 2021) on 64 GPUs of 8 GiB: the search against a plan by Piper's
// own rules.
#include "core/base/indices.h"
#include "core/base/units.h"
#include "core/formats/files/project_file.h"
#include "core/generation/asked_machines.h"
#include "core/planners/automatic/auto_search.h"
#include "core/planners/schedule_search/plan_course.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace stagecraft {

namespace {

/// Piper's Sec. 4: the cut of a chain into stages of d data-parallel devices each, with or without
/// recomputation, that minimises the longest time a sample takes of a stage: its computing and what it sends
/// and receives, over d, and the sum of gradients over the samples of a batch. A device holds y = ceil(s / d)
/// samples, s the devices of its stage and all later ones, beside weights and gradients.
class PiperRules {
public:
    /// @param roomBytes of each device
    PiperRules(const CostModel& costs, int devices, int batch, double roomBytes)
        : costs_(costs), batch_(batch), room_(roomBytes) {
        const int layers = costs.layerCount();
        best_.assign(at(layers + 1), std::vector<Choice>(at(devices + 1)));
        for (Choice& end : best_[at(layers)]) end.slowestS = 0;
        for (int first = layers - 1; first >= 0; --first)
            for (int count = 1; count <= devices; ++count) choose(first, count);
    }

    /// Microbatches go to the devices of a stage in turn; empty where nothing fits.
    Plan plan(int devices) const {
        Plan made;
        int next = 0;
        for (int first = 0, left = devices; first < costs_.layerCount();) {
            const Choice& own = best_[at(first)][at(left)];
            if (own.slowestS == infinity) return {};
            Stage stage{first, own.last, {}};
            stage.replication = own.devices > 1 ? Replication::roundRobin : Replication::split;
            for (int device = 0; device < own.devices; ++device) stage.devices.push_back(next++);
            if (own.recomputes)
                for (int layer = first; layer <= own.last; ++layer)
                    made.memory.layers[layer] = LayerMemory::checkpoint;
            made.stages.push_back(std::move(stage));
            left -= own.devices;
            first = own.last + 1;
        }
        return made;
    }

private:
    struct Choice {
        double slowestS = infinity;
        int last = 0, devices = 0;
        bool recomputes = false;
    };
    void choose(int first, int count) {
        Choice& best = best_[at(first)][at(count)];
        for (int last = first; last < costs_.layerCount(); ++last)
            for (int devices = 1; devices <= count; ++devices)
                for (const bool recomputes : {false, true}) {
                    const double laterS = last + 1 == costs_.layerCount()
                                              ? 0
                                              : best_[at(last + 1)][at(count - devices)].slowestS;
                    const double samples = (count + devices - 1) / devices;
                    if (samples * held(first, last, recomputes) + 2 * costs_.parameterBytes(first, last) >
                        room_)
                        continue;
                    const double slowestS = std::max(laterS, sampleS(first, last, devices, recomputes));
                    if (slowestS < best.slowestS) best = {slowestS, last, devices, recomputes};
                }
    }
    double held(int first, int last, bool recomputes) const {
        if (!recomputes) return costs_.storedActivationBytes(first, last);
        double bytes = 0;
        for (int layer = first; layer <= last; ++layer)
            bytes += costs_.keptBytes(layer, LayerMemory::checkpoint);
        return bytes;
    }
    double sampleS(int first, int last, int devices, bool recomputes) const {
        const double computedS =
            costs_.forwardS(first, last) * (recomputes ? 2 : 1) + costs_.backwardS(first, last);
        double sent = 0;
        if (first > 0) sent += costs_.cutForwardBytes(first - 1) + costs_.cutBackwardBytes(first - 1);
        if (last + 1 < costs_.layerCount())
            sent += costs_.cutForwardBytes(last) + costs_.cutBackwardBytes(last);
        const double bandwidth = costs_.interconnect().bandwidthBps(0, costs_.deviceCount() - 1);
        const double syncBytes = 4.0 * (devices - 1) / devices * costs_.parameterBytes(first, last) / batch_;
        return (computedS + sent / bandwidth) / devices + syncBytes / bandwidth;
    }

    const CostModel& costs_;
    int batch_;
    double room_;
    std::vector<std::vector<Choice>> best_;  ///< by first layer and devices that are left
};

}  // namespace

TEST(AutoSearch, FitsPipersBert32On64SmallGpusAndIsNoSlowerThanPipersOwnRules) {
    const std::filesystem::path file =
        std::filesystem::path(STAGECRAFT_SHARED_DIR) / "profiles/piper/bert32a100.json";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "no profile at " << file;
    constexpr int batch = 256, gpus = 64;
    Problem problem;
    problem.profile = openProfile(file).profile;
    problem.cluster = generation::machinesAsked("8x dgx-a100").make();
    problem.setup = usualSetup({}, problem.profile);
    problem.setup.microbatches = batch;
    problem.setup.memoryLimitBytes = 8 * gib;
    const CostModel costs(problem);
    // The engine has buffers, and a layer that is computed again, besides what Piper counts.
    double piperS = infinity;
    for (double share = 1; share > 0.5 && piperS == infinity; share -= 0.02) {
        const Plan plan = PiperRules(costs, gpus, batch, share * 8 * gib).plan(gpus);
        if (plan.stages.empty()) break;
        const PlanCourse course = courseOf(costs, plan);
        if (course.lackingBytes <= 0) piperS = course.iterationS;
    }
    ASSERT_LT(piperS, infinity);
    const AutoAnswer answer =
        AutoSearch(problem, scaledProfiles(problem.profile), batch).best({.mostSamples = 1});
    ASSERT_TRUE(answer.best);
    RecordProperty("piper_s", std::to_string(piperS));
    RecordProperty("auto_s", std::to_string(answer.best->iterationS));
    EXPECT_LE(answer.best->peakBytes, 8 * gib);
    EXPECT_LE(answer.best->iterationS, piperS);
    EXPECT_LE(answer.provenS, answer.best->iterationS);
}

}  // namespace stagecraft
