#include "core/programs/engine_layout.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/programs/configured_layers.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace stagecraft::programs {

namespace {

[[noreturn]] void refuseLayout(const std::string& why) { throw std::invalid_argument(why); }

std::string stageWord(int stage) { return "stage " + std::to_string(stage); }

/// What no engine here has a word for.
void requireSynchronous(const Problem& problem, const Plan& plan, const std::string& engine) {
    if (plan.pipelineCount() > 1)
        refuseLayout("the plan has " + counted(plan.pipelineCount(), "copy", "copies") +
                     " of the network in different places; " + engine + " copies each stage alike");
    if (plan.weights.kind != WeightPolicyKind::single)
        refuseLayout("the plan keeps several versions of the weights; " + engine + " has one");
    if (problem.setup.mode == TrainingMode::asynchronous && plan.miniBatch.microbatches > 0 &&
        !plan.miniBatch.barrier)
        refuseLayout("the plan trains without a barrier; " + engine + " ends each iteration with one");
    if (plan.schedule.slices() > 1)
        refuseLayout("the plan cuts sequences into " + std::to_string(plan.schedule.slices()) + " slices; " +
                     engine + " has whole microbatches");
    if (plan.schedule.sharesVocabulary())
        refuseLayout("the plan shares the vocabulary's layers out over all stages; " + engine +
                     " has them on the first and the last");
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        const Stage &own = plan.stages[at(stage)], &first = plan.stages.front();
        if (own.replication == Replication::roundRobin && own.devices.size() > 1)
            refuseLayout("the copies of " + stageWord(stage) + " take whole microbatches in turn; in " +
                         engine + " each takes a share of every one");
        if (own.devices.size() != first.devices.size())
            refuseLayout(stageWord(0) + " is on " + counted(std::ssize(first.devices), "device") + ", " +
                         stageWord(stage) + " on " + std::to_string(own.devices.size()) + "; " + engine +
                         " has as many for each");
        if (own.group != first.group)
            refuseLayout(stageWord(stage) + " is divided in another way than stage 0; " + engine +
                         " divides all alike");
    }
}

/// Stages on the same devices are of one rank. Ranks are numbered by their first stage.
void addRanks(const Plan& plan, const std::string& engine, EngineLayout& layout) {
    std::vector<std::vector<int>> ranks;
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        const std::vector<int>& devices = plan.stages[at(stage)].devices;
        auto found = std::ranges::find(ranks, devices);
        if (found == ranks.end()) {
            for (const std::vector<int>& other : ranks)
                for (const int device : devices)
                    if (std::ranges::find(other, device) != other.end())
                        refuseLayout(stageWord(stage) +
                                     " shares some of its devices with another stage; in " + engine +
                                     " stages have all devices in common or none");
            ranks.push_back(devices);
            found = ranks.end() - 1;
        }
        layout.rankOf.push_back(static_cast<int>(found - ranks.begin()));
    }
    layout.ranks = static_cast<int>(ranks.size());
    for (const std::vector<int>& devices : ranks)
        layout.devices.insert(layout.devices.end(), devices.begin(), devices.end());
}

void addContents(const Problem& problem, const Plan& plan, EngineLayout& layout) {
    const ProfileEnds ends = endsOf(problem.profile);
    layout.blocks = ends.blocks;
    layout.predictions = ends.predictions;
    const std::vector<EngineRole> roles = rolesOf(problem.profile);
    const auto prediction = std::ranges::find(roles, EngineRole::prediction);
    if (std::find(prediction, roles.end(), EngineRole::block) != roles.end())
        refuseLayout(
            "the profile has blocks behind layers of multi-token prediction; in engines these are last");
    layout.bounds = {0};
    for (const Stage& stage : plan.stages) {
        StageContent content;
        layout.bounds.push_back(layout.bounds.back());
        for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer) {
            const EngineRole role = roles[at(layer)];
            content.embedding = content.embedding || role == EngineRole::embedding;
            content.blocks += role == EngineRole::block;
            content.predictions += role == EngineRole::prediction;
            content.head = content.head || role == EngineRole::head;
            layout.bounds.back() += role != EngineRole::nothing;
        }
        layout.contents.push_back(content);
    }
    // A profile may lack them; the engine's model has them.
    layout.contents.front().embedding = true;
    layout.contents.back().head = true;
}

MemoryPolicy policyOf(const BlockMemory& memory, const std::vector<EngineRole>& roles, const Plan& plan,
                      const EngineLayout& layout) {
    MemoryPolicy policy;
    std::vector<int> before(at(layout.ranks));
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        const Stage& of = plan.stages[at(stage)];
        int& own = before[at(layout.rankOf[at(stage)])];
        addMemory(memory, blocksAmong(roles, of.firstLayer, of.lastLayer), own, policy);
        own += layout.contents[at(stage)].blocks;
    }
    return policy;
}

/// The plainest way to say what the plan has. @throws std::invalid_argument
BlockMemory memoryOf(const Problem& problem, const Plan& plan, const EngineLayout& layout) {
    std::vector<BlockMemory> ways = {{}, {LayerMemory::selective}, {LayerMemory::checkpoint}};
    for (int every = 2; every <= layout.blocks; ++every) ways.push_back({LayerMemory::checkpoint, 0, every});
    for (int first = 1; first < layout.blocks; ++first) ways.push_back({LayerMemory::checkpoint, first, 1});
    const std::vector<EngineRole> roles = rolesOf(problem.profile);
    for (const BlockMemory& way : ways)
        if (policyOf(way, roles, plan, layout).layers == plan.memory.layers) return way;
    const auto& [layer, memory] = *plan.memory.layers.begin();
    const std::string name = "layer " + std::to_string(layer);
    if (memory == LayerMemory::swap) refuseLayout("the plan swaps " + name + " to the host's memory");
    if (memory == LayerMemory::recompute)
        refuseLayout("the plan recomputes " + name +
                     " together with others of its stage; engines recompute each block by itself");
    refuseLayout("the plan recomputes some layers and not others, in no way that engines have a word for");
}

}  // namespace

EngineLayout engineLayout(const Problem& problem, const Plan& plan, const std::string& engine) {
    requireSynchronous(problem, plan, engine);
    EngineLayout layout;
    layout.group = plan.stages.front().group;
    addRanks(plan, engine, layout);
    const int together = layout.group.ranksOfCopy();
    layout.copies = static_cast<int>(plan.stages.front().devices.size()) / together;
    const int samples =
        plan.miniBatch.microbatchSize > 0 ? plan.miniBatch.microbatchSize : problem.profile.microbatchSize;
    if (samples % layout.copies != 0)
        refuseLayout("a microbatch of " + counted(samples, "sample") + " is no whole number on each of " +
                     counted(layout.copies, "copy", "copies"));
    layout.samples = samples / layout.copies;
    layout.microbatches =
        plan.miniBatch.microbatches > 0 ? plan.miniBatch.microbatches : problem.setup.microbatches;
    addContents(problem, plan, layout);
    layout.memory = memoryOf(problem, plan, layout);
    if (const auto* family = std::get_if<FamilySchedule>(&plan.schedule.order)) {
        layout.family = family->name;
        layout.schedule = *family;
    }
    return layout;
}

void requireLayers(const EngineLayout& layout, const std::string& engine) {
    for (int stage = 0; stage < layout.stages(); ++stage)
        if (layout.contents[at(stage)].isEmpty())
            refuseLayout(stageWord(stage) + " holds no layer; " + engine + " has at least one in each");
}

std::string contentText(const StageContent& content) {
    std::string text = content.embedding ? "embedding" : "";
    const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (content.blocks > 0) add(counted(content.blocks, "block"));
    if (content.predictions > 0) add(counted(content.predictions, "layer") + " of multi-token prediction");
    if (content.head) add("head");
    return text;
}

}  // namespace stagecraft::programs
