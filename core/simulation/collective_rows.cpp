#include "core/simulation/collective_rows.h"

#include "core/base/indices.h"
#include "core/cost/update_cost.h"
#include "core/simulation/execution_graph.h"

#include <algorithm>
#include <set>

namespace stagecraft::simulation {

std::vector<Collective> collectivesOf(const CostModel& costs, const Plan& plan) {
    std::vector<Collective> all;
    for (const DataParallelGroup& group : costs.dataParallelGroups(plan))
        for (const StateSync& sync : stateSyncs(costs.problem())) {
            all.push_back({sync, group, group.secondsOf(sync)});
            const bool once = sync.trigger == SyncTrigger::iteration;
            if (once || !(costs.problem().setup.zeroOverlap > 0)) continue;
            for (const int stage : group.stages)
                all.back().exposed.emplace(stage, exposedSyncs(costs, plan, group, stage));
        }
    return all;
}

void CollectiveRows::add() {
    ofStages_.resize(draft_.plan().stages.size());
    for (const Collective& each : collectives_) {
        if (each.sync.trigger == SyncTrigger::beforePass) {
            gatherBeforePasses(each);
            continue;
        }
        const int row = addCollective(each);
        for (const int s : each.group.stages) ofStages_[at(s)].push_back(row);
    }
    if (updatesTakeTime(draft_.setup()) && draft_.setup().gradientPasses == GradientPasses::megatron)
        addGradientPasses();
    for (int s = 0; s < draft_.plan().stageCount(); ++s) addUpdate(s);
    if (updatesTakeTime(draft_.setup())) updateInTurn();
    if (draft_.setup().mode == TrainingMode::synchronous)
        addBarrier();
    else
        addWaitsForVersions();
}

/// Of what stages of a group do together.
static double shareOf(const Collective& collective) {
    return collective.exposed.empty() ? 1 : collective.exposed.begin()->second.afterBackward;
}

int CollectiveRows::addCollective(const Collective& collective) {
    const int row = draft_.addRow(collective.sync.kind, collective.group.stages.front(),
                                  variants(collective, shareOf(collective)), collective.trigger());
    // Those of a group come one after the other.
    const std::vector<int>& before = ofStages_[at(collective.group.stages.front())];
    if (before.empty())
        waitForBackwards(collective, row);
    else if (draft_.row(before.back()).perIteration == 1)
        draft_.follow(before.back(), row);
    else
        draft_.gather(before.back(), row);
    return row;
}

/// What goes on beside computing loads no link for others, as within stages.
std::vector<TaskVariant> CollectiveRows::variants(const Collective& collective, double share) {
    LinkFlows* flows = share > 0 ? draft_.flows() : nullptr;
    const int flow = flows ? flows->addSync(collective.group, collective.sync, collective.seconds) : -1;
    return {{{draft_.lanes().allReduceLane(collective.group)}, collective.seconds * share, flow}};
}

void CollectiveRows::gatherBeforePasses(const Collective& collective) {
    for (const int s : collective.group.stages) {
        for (const int pass : {draft_.rowsOf(s).forward, draft_.rowsOf(s).firstOfBackward()}) {
            const auto exposed = collective.exposed.find(s);
            const ExposedSyncs shares =
                exposed == collective.exposed.end() ? ExposedSyncs{} : exposed->second;
            const double share =
                pass == draft_.rowsOf(s).forward ? shares.beforeForward : shares.beforeBackward;
            const int row =
                draft_.addRow(collective.sync.kind, s, variants(collective, share), collective.trigger());
            draft_.follow(row, pass);
            gatherOf_[pass] = row;
        }
    }
}

void CollectiveRows::addWaits() {
    ExecutionGraph& graph = draft_.graph();
    const std::size_t before = graph.waits.size();
    for (const auto& [backward, row] : fewer_) waitForFewer(backward, row);
    if (!gatherOf_.empty())
        for (const LaneProgram& program : graph.programs) waitInOrder(program);
    if (draft_.lowered().rule == OrderRule::greedy)
        for (const auto& [pass, gather] : gatherOf_) waitInTurn(pass, gather);
    if (graph.waits.size() == before) return;
    std::sort(graph.waits.begin(), graph.waits.end());
    graph.waits.erase(std::unique(graph.waits.begin(), graph.waits.end()), graph.waits.end());
}

void CollectiveRows::wait(TaskRef before, TaskRef after) {
    draft_.graph().waits.push_back({draft_.graph().taskId(before), draft_.graph().taskId(after)});
}

void CollectiveRows::waitForFewer(int backward, int row) {
    const std::uint32_t each = draft_.row(backward).perIteration, all = draft_.row(row).perIteration;
    for (int iteration = 0; iteration < draft_.graph().iterations; ++iteration)
        for (std::uint32_t entry = 0; entry < each; ++entry)
            wait({backward, static_cast<std::uint32_t>(iteration) * each + entry},
                 {row, static_cast<std::uint32_t>(iteration) * all + entry});
}

void CollectiveRows::waitInTurn(int pass, int gather) {
    const TaskRow& row = draft_.row(pass);
    const auto entries = row.perIteration * static_cast<std::uint32_t>(draft_.graph().iterations);
    for (std::uint32_t entry = 1; entry < entries; ++entry) wait({pass, entry - 1}, {gather, entry});
    if (row.kind == BlockKind::forward) return;
    for (std::uint32_t entry = 0; entry < entries; ++entry)
        wait({draft_.rowsOf(row.stage).forward, entry}, {gather, entry});
}

/// What is one block waits for what is before all of it.
void CollectiveRows::waitInOrder(const LaneProgram& program) {
    auto fusion = program.fusions.begin();
    for (std::uint32_t position = 1; position < program.order.size(); ++position) {
        while (fusion != program.fusions.end() && fusion->position + fusion->count <= position) ++fusion;
        const bool isFused = fusion != program.fusions.end() && fusion->position <= position;
        const std::uint32_t first = isFused ? fusion->position : position;
        const auto gather = gatherOf_.find(program.order[position].row);
        if (gather == gatherOf_.end() || first == 0) continue;
        wait(program.order[first - 1], {gather->second, program.order[position].entry});
    }
}

/// At the end of an iteration for all of its backwards, those of other stages too where nothing overlaps;
/// else for that of its own microbatch.
void CollectiveRows::waitForBackwards(const Collective& collective, int row) {
    const std::vector<int>& stages = collective.group.stages;
    for (int s = 0; s < draft_.plan().stageCount(); ++s) {
        const bool own = std::find(stages.begin(), stages.end(), s) != stages.end();
        const int backward = draft_.rowsOf(s).lastBackward();
        if (collective.trigger() == RowTrigger::iteration) {
            if (own || !draft_.setup().allreduceOverlaps) draft_.gather(backward, row);
            continue;
        }
        if (!own) continue;
        // Of copies of the network some may have a microbatch less.
        const bool isCopy = stages.size() > 1 && draft_.row(backward).slices == draft_.row(row).slices;
        if (isCopy && draft_.row(backward).perIteration < draft_.row(row).perIteration) {
            fewer_.emplace_back(backward, row);
            continue;
        }
        if (draft_.row(backward).perIteration != draft_.row(row).perIteration)
            throw SimulationError("stage " + std::to_string(s) + " has a collective for each of " +
                                  std::to_string(draft_.row(row).perIteration) +
                                  " microbatches; expected one for each of its " +
                                  std::to_string(draft_.row(backward).perIteration) + " backwards");
        draft_.follow(backward, row);
    }
}

std::vector<int> CollectiveRows::lastPassesOf(int s) const {
    const StageRows& rows = draft_.rowsOf(s);
    std::vector<int> last;
    for (const int row : {rows.lastBackward(), rows.headBackward, rows.embeddingBackward})
        if (row >= 0) last.push_back(row);
    return last;
}

std::vector<int> CollectiveRows::stagesBeside(int s) const {
    const std::vector<int>& lanes = draft_.lanes().computeLanes(s);
    std::vector<int> beside;
    for (int other = 0; other < draft_.plan().stageCount(); ++other) {
        const std::vector<int>& theirs = draft_.lanes().computeLanes(other);
        const auto isShared = [&](int lane) { return std::ranges::find(lanes, lane) != lanes.end(); };
        if (other != s && std::ranges::any_of(theirs, isShared)) beside.push_back(other);
    }
    return beside;
}

/// Each comes once its devices have no pass left, one after the other, and what copies do comes after it.
void CollectiveRows::addGradientPasses() {
    for (int s = 0; s < draft_.plan().stageCount(); ++s) {
        const double seconds = gradientPassS(draft_.costs(), draft_.plan(), s, !ofStages_[at(s)].empty());
        const int row = draft_.addRow(BlockKind::gradientPass, s, {{draft_.lanes().computeLanes(s), seconds}},
                                      RowTrigger::iteration);
        draft_.row(row).outOfTurn = true;
        for (const int last : lastPassesOf(s)) draft_.gather(last, row);
        for (const int other : stagesBeside(s)) {
            for (const int last : lastPassesOf(other)) draft_.gather(last, row);
            if (other < s) draft_.follow(gradientPasses_[at(other)], row);
        }
        if (!ofStages_[at(s)].empty()) draft_.follow(row, ofStages_[at(s)].front());
        gradientPasses_.push_back(row);
    }
}

void CollectiveRows::addUpdate(int s) {
    const double seconds = updateS(draft_.costs(), draft_.plan(), s);
    const int update = draft_.addRow(BlockKind::update, s, {{draft_.lanes().computeLanes(s), seconds}},
                                     RowTrigger::iteration);
    updates_.push_back(update);
    draft_.row(update).outOfTurn = true;
    const StageRows& rows = draft_.rowsOf(s);
    if (!gradientPasses_.empty())
        draft_.follow(gradientPasses_[at(s)], update);
    else if (ofStages_[at(s)].empty())
        draft_.gather(rows.lastBackward(), update);
    for (const int last : {rows.headBackward, rows.embeddingBackward})
        if (last >= 0) draft_.gather(last, update);
    for (const int collective : ofStages_[at(s)])
        if (draft_.row(collective).perIteration == 1)
            draft_.follow(collective, update);
        else
            draft_.gather(collective, update);
}

std::set<int> CollectiveRows::endsOf(int s) const {
    std::set<int> ends(ofStages_[at(s)].begin(), ofStages_[at(s)].end());
    for (const int last : lastPassesOf(s)) ends.insert(last);
    if (!gradientPasses_.empty()) ends.insert(gradientPasses_[at(s)]);
    return ends;
}

/// What the norm of all gradients is made of. What gathers weights does not change it.
std::set<int> CollectiveRows::sums() const {
    std::set<int> all;
    for (int s = 0; s < draft_.plan().stageCount(); ++s)
        for (const int row : endsOf(s))
            if (draft_.row(row).kind != BlockKind::allGather) all.insert(row);
    return all;
}

/// Updates take no turn in the order of their devices: those that take time wait until nothing else is left
/// of the iteration there and, where gradients are clipped by their norm, until all of them are there.
void CollectiveRows::updateInTurn() {
    const bool clips = draft_.setup().gradientPasses != GradientPasses::none;
    const std::set<int> everywhere = clips ? sums() : std::set<int>();
    for (int s = 0; s < draft_.plan().stageCount(); ++s) {
        const std::set<int> own = endsOf(s);
        std::set<int> others = everywhere;
        for (const int other : stagesBeside(s)) {
            others.merge(endsOf(other));
            if (other < s) draft_.follow(updates_[at(other)], updates_[at(s)]);
        }
        for (const int row : others)
            if (!own.contains(row)) draft_.gather(row, updates_[at(s)]);
    }
}

void CollectiveRows::addBarrier() {
    std::vector<bool> receives(draft_.plan().stages.size(), false);
    for (const StageEdge& edge : draft_.lowered().edges->all()) receives[at(edge.to)] = true;
    for (int s = 0; s < draft_.plan().stageCount(); ++s) {
        if (!receives[at(s)]) draft_.row(draft_.rowsOf(s).forward).waitsForBarrier = true;
        if (const int lookup = draft_.rowsOf(s).embeddingForward; lookup >= 0)
            draft_.row(lookup).waitsForBarrier = true;
    }
    for (const auto& [pass, gather] : gatherOf_)
        if (draft_.row(pass).kind == BlockKind::forward) draft_.row(gather).waitsForBarrier = true;
}

/// Under double buffering a forward waits for the version that it uses, the update before last; not where
/// waiting for it would never end, and the validator is left to say so. Under vertical sync the input stage
/// names a version once all stages have it.
void CollectiveRows::addWaitsForVersions() {
    const WeightPolicyKind kind = draft_.plan().weights.kind;
    const bool waits = kind == WeightPolicyKind::doubleBuffer && !draft_.lowered().exceedsMiniBatch;
    for (int s = 0; s < draft_.plan().stageCount(); ++s) {
        const int update = updates_[at(s)], forward = draft_.rowsOf(s).forward;
        if (waits) {
            draft_.row(update).readBy = {forward};
            draft_.row(forward).waitsForVersion = true;
        }
        const int input = inputStageOf(s);
        if (kind == WeightPolicyKind::verticalSync && input != s) draft_.follow(update, updates_[at(input)]);
    }
}

int CollectiveRows::inputStageOf(int s) const {
    int input = s;
    while (input > 0 && draft_.stage(input - 1).pipeline == draft_.stage(s).pipeline) --input;
    return input;
}

}  // namespace stagecraft::simulation
