#include "core/recordings/recorded_project.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/editing/plan_edit.h"
#include "core/recordings/recorded_passes.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace stagecraft::recordings {

namespace {

/// Into so many layers a stage is cut, so that it can be planned anew with other stages.
constexpr int layersEach = 4;
constexpr double assumedOutputBytes = 16.0 * 1024 * 1024, assumedMemoryBytes = 80.0 * 1024 * 1024 * 1024;
constexpr double fastestBps = 1e14;  // where a transfer took no time that can be seen

/// The passes of one iteration.
struct IterationOrders {
    std::map<int, std::vector<Task>> orders;    ///< by device
    std::map<int, std::set<int>> microbatches;  ///< by stage: of its forwards
    std::map<int, std::set<int>> gradients;     ///< by stage
    int slices = 1;
};

class ProjectMaker {
public:
    explicit ProjectMaker(const Recording& recording) : recording_(recording), passes_(recording) {
        if (recording.stageCount() == 0 || passes_.counted().empty())
            throw std::invalid_argument("the recording has no passes of stages");
        std::size_t replicas = 1;
        for (const std::vector<int>& devices : recording.stageDevices) {
            if (devices.empty()) throw std::invalid_argument("the recording has no passes of some stage");
            replicas = std::max(replicas, devices.size());
        }
        double mostS = -1;
        for (std::size_t replica = 0; replica < replicas; ++replica) {
            std::vector<int> holders;
            for (const std::vector<int>& devices : recording.stageDevices)
                holders.push_back(devices[std::min(replica, devices.size() - 1)]);
            if (const double computeS = computedS(holders); computeS > mostS)
                mostS = computeS, holder_ = std::move(holders);
        }
        times_ = passTimes(passes_, holder_);
    }

    Project make() {
        takeOrders();
        findCopies();
        Project project;
        project.name = recording_.title;
        makeCluster(project.problem.cluster);
        makeProfile(project.problem.profile);
        project.problem.setup.microbatches = microbatches_;
        // How many samples a microbatch has is not recorded: it is one, which replicas do not divide.
        project.problem.setup.wholeSamples = true;
        project.plans.push_back(plan(project.problem.profile));
        return project;
    }

private:
    /// Of ranks that each hold a stage, one of all that do, in the iterations that count.
    double computedS(const std::vector<int>& holders) const {
        const Timeline& timeline = recording_.timeline;
        double sum = 0;
        for (const int lane : passes_.lanes()) {
            const Lane& own = timeline.lanes[at(lane)];
            for (std::uint32_t block = own.firstBlock; block < own.endBlock; ++block)
                if (passes_.counts(timeline.iteration[block]) && timeline.stage[block] >= 0 &&
                    holders[at(timeline.stage[block])] == own.devices.front())
                    sum += timeline.durationS(block);
        }
        return sum;
    }

    std::size_t groupIndex(PassGroup group) const { return static_cast<std::size_t>(group); }
    double medianS(int stage, PassGroup group) const { return times_[at(stage)][groupIndex(group)].medianS; }
    bool has(int stage, PassGroup group) const { return times_[at(stage)][groupIndex(group)].count > 0; }

    IterationOrders ordersOf(int iteration) const {
        IterationOrders found;
        const Timeline& timeline = recording_.timeline;
        for (const int lane : passes_.lanes()) {
            const Lane& own = timeline.lanes[at(lane)];
            for (std::uint32_t block = own.firstBlock; block < own.endBlock; ++block) {
                const PassKind& kind = passKind(timeline.kind[block]);
                const bool isPair = timeline.kind[block] == BlockKind::pair;
                if (timeline.iteration[block] != iteration || timeline.stage[block] < 0 ||
                    (!kind.task && !isPair) || kind.role != PassRole::computes ||
                    holder_[at(timeline.stage[block])] != own.devices.front())
                    continue;
                bool second = false;
                timeline.eachPass(block, [&](const Pass& pass) {
                    const TaskKind task =
                        isPair ? (second ? TaskKind::backward : TaskKind::forward) : *kind.task;
                    found.orders[own.devices.front()].push_back(
                        {task, pass.stage, pass.microbatch, second, std::max(0, pass.slice)});
                    if (task == TaskKind::forward) found.microbatches[pass.stage].insert(pass.microbatch);
                    if (givesGradient(blockKindOf(task))) found.gradients[pass.stage].insert(pass.microbatch);
                    found.slices = std::max(found.slices, pass.slice + 1);
                    second = true;
                });
            }
        }
        return found;
    }

    /// The first iteration that counts and is whole: each stage has a gradient for each forward.
    void takeOrders() {
        for (const int iteration : passes_.counted()) {
            orders_ = ordersOf(iteration);
            if (static_cast<int>(orders_.microbatches.size()) == recording_.stageCount() &&
                orders_.microbatches == orders_.gradients)
                return;
        }
        throw std::invalid_argument(
            "no iteration of the recording has a forward and a backward of each microbatch on every stage");
    }

    /// Stages that follow each other and run the same microbatches are a copy of the network.
    void findCopies() {
        std::set<int> all;
        for (int stage = 0; stage < recording_.stageCount(); ++stage) {
            const std::set<int>& own = orders_.microbatches[stage];
            copies_.push_back(stage == 0                               ? 0
                              : own == orders_.microbatches[stage - 1] ? copies_.back()
                                                                       : copies_.back() + 1);
            all.insert(own.begin(), own.end());
        }
        microbatches_ = static_cast<int>(all.size());
        if (*all.rbegin() + 1 != microbatches_)
            throw std::invalid_argument("the microbatches of the recording are not counted from 0");
        stagesEach_ = recording_.stageCount() / (copies_.back() + 1);
        for (int stage = 0; stage < recording_.stageCount(); ++stage)
            if (copies_[at(stage)] != stage / stagesEach_)
                throw std::invalid_argument(
                    "the stages of the recording do not all run the same microbatches");
    }

    double recordedPeakBytes(int device) const {
        double peakBytes = 0;
        for (const RecordedSeries& series : recording_.series)
            if (series.device == device && series.unit == "bytes")
                for (const double bytes : series.values) peakBytes = std::max(peakBytes, bytes);
        return peakBytes;
    }

    void makeCluster(Cluster& cluster) {
        cluster.name = recording_.title;
        cluster.source = "a recording";
        std::set<int> used(holder_.begin(), holder_.end());
        bool assumesMemory = false;
        double mostHeldBytes = assumedMemoryBytes;
        for (const int device : used) mostHeldBytes = std::max(mostHeldBytes, recordedPeakBytes(device));
        for (const int device : used) {
            number_[device] = cluster.deviceCount();
            Device own = recording_.cluster.devices[at(device)];
            if (own.server.empty()) own.server = "recorded";
            if (!(own.memoryBytes > 0)) {
                own.memoryBytes = mostHeldBytes;
                assumesMemory = true;
            }
            cluster.devices.push_back(std::move(own));
        }
        const std::vector<TransferLag> all = transferLags(passes_);
        for (const TransferLag& lag : all) {
            auto& lags = lag.fromStage < lag.toStage ? forwardLags_ : backwardLags_;
            double& own = lags[std::minmax(lag.fromStage, lag.toStage)];
            own = lag.lagS;
            // Where no pass waited for nothing else, a transfer takes at most that, and as long as back.
            for (const TransferLag& back : all)
                if (lag.count == 0 && back.fromStage == lag.toStage && back.toStage == lag.fromStage)
                    own = std::min(own, back.lagS);
        }
        std::map<std::pair<int, int>, std::vector<double>> between;
        for (int stage = 0; stage + 1 < recording_.stageCount(); ++stage) {
            const int a = holder_[at(stage)], b = holder_[at(stage) + 1];
            if (a == b || copies_[at(stage)] != copies_[at(stage) + 1]) continue;
            if (const auto lag = forwardLags_.find({stage, stage + 1}); lag != forwardLags_.end())
                between[std::minmax(a, b)].push_back(lag->second);
            else
                between[std::minmax(a, b)];
        }
        for (const auto& [ends, lags] : between) {
            const double rate = std::min(fastestBps, assumedOutputBytes / std::max(medianOf(lags), 1e-12));
            rates_[ends] = rate;
            cluster.links.push_back({recording_.cluster.devices[at(ends.first)].id,
                                     recording_.cluster.devices[at(ends.second)].id, rate, 0, "recorded",
                                     "transfers of a recording"});
        }
        cluster.assumptions.push_back(
            "A recording does not say how large outputs are: 16 MiB a microbatch are assumed, and links have "
            "the rates at which these take as long as transfers did.");
        if (assumesMemory)
            cluster.assumptions.push_back(
                "A recording does not say how much memory GPUs have, nor what layers keep in it: 80 GiB are "
                "assumed, or what the run held on the fullest where that is more, and only outputs are "
                "counted.");
        cluster.assumptions.push_back(
            "A recording does not say how many samples a microbatch has: it counts as one, which copies of a "
            "stage do not divide.");
        if (recording_.cluster.deviceCount() > cluster.deviceCount())
            cluster.assumptions.push_back(
                "Of ranks that hold the same stages, those that compute most are "
                "taken: " +
                namesOf(used) + ".");
    }

    /// "rank4, rank5 and 2 more"
    std::string namesOf(const std::set<int>& devices) const {
        constexpr std::size_t mostNamed = 4;
        std::string names;
        std::size_t named = 0;
        for (const int device : devices) {
            if (named == mostNamed) break;
            names += (named++ ? ", " : "") + recording_.cluster.devices[at(device)].id;
        }
        if (devices.size() > named)
            names += " and " + grouped(static_cast<long long>(devices.size() - named)) + " more";
        return names;
    }

    /// The mean over the copies of the network.
    template <typename Seconds>
    double meanOf(int layer, Seconds seconds) const {
        double sum = 0;
        for (int copy = 0; copy <= copies_.back(); ++copy) sum += seconds(copy * stagesEach_ + layer);
        return sum / (copies_.back() + 1);
    }
    double forwardS(int stage) const {
        if (has(stage, PassGroup::forward)) return medianS(stage, PassGroup::forward);
        return medianS(stage, PassGroup::pair) / 3;
    }
    double backwardS(int stage) const {
        if (has(stage, PassGroup::inputGradient))
            return medianS(stage, PassGroup::inputGradient) + medianS(stage, PassGroup::weightGradient);
        if (has(stage, PassGroup::backward)) return medianS(stage, PassGroup::backward);
        return medianS(stage, PassGroup::pair) * 2 / 3;
    }
    double weightGradientS(int stage) const {
        if (has(stage, PassGroup::weightGradient)) return medianS(stage, PassGroup::weightGradient);
        return backwardS(stage) / 2;
    }

    void makeProfile(LayerProfile& profile) const {
        profile.name = recording_.title;
        profile.source = "medians of the passes of a recording";
        if (orders_.slices > 1) profile.causalSequence = true;
        for (int stage = 0; stage < stagesEach_; ++stage)
            for (int part = 0; part < layersEach; ++part) profile.layers.push_back(layerOf(stage, part));
    }

    /// Slices of a microbatch share its work out, and the layers of a stage do.
    Layer layerOf(int stage, int part) const {
        const double share = double(orders_.slices) / layersEach;
        Layer layer;
        layer.name = "stage " + std::to_string(stage) + ", part " + std::to_string(part);
        layer.forwardS = share * meanOf(stage, [this](int own) { return forwardS(own); });
        layer.backwardS = share * meanOf(stage, [this](int own) { return backwardS(own); });
        layer.weightGradientS = share * meanOf(stage, [this](int own) { return weightGradientS(own); });
        const bool last = part + 1 == layersEach;
        if (last && stage + 1 == stagesEach_) return layer;
        layer.outputBytes = layer.outputGradientBytes = assumedOutputBytes;
        if (!last) return layer;
        const auto rate = rates_.find(std::minmax(holder_[at(stage)], holder_[at(stage) + 1]));
        const auto back = backwardLags_.find({stage, stage + 1});
        if (rate != rates_.end() && back != backwardLags_.end())
            layer.outputGradientBytes = back->second * rate->second;
        return layer;
    }

    Plan plan(const LayerProfile& profile) const {
        Plan made;
        made.planner = handMade;
        made.name = "recorded order";
        for (int stage = 0; stage < recording_.stageCount(); ++stage) {
            const int layer = stage % stagesEach_;
            made.stages.push_back({layer * layersEach,
                                   (layer + 1) * layersEach - 1,
                                   {number_.at(holder_[at(stage)])},
                                   copies_[at(stage)]});
        }
        ExplicitSchedule spelled;
        spelled.slices = orders_.slices;
        bool recomputes = false;
        for (const auto& [device, tasks] : orders_.orders) {
            spelled.orders[number_.at(device)] = tasks;
            for (const Task& task : tasks) recomputes = recomputes || task.kind == TaskKind::recompute;
        }
        spelled.vocabulary = vocabularyNamed(spelled);
        if (spelled.vocabulary != VocabularyPasses::none)
            throw std::invalid_argument(
                "the recording has passes of the vocabulary's layers, of which no problem can be made");
        std::vector<double> shares;
        for (int stage = 0; stage < recording_.stageCount(); ++stage)
            if (has(stage, PassGroup::pair))
                shares.push_back(medianS(stage, PassGroup::pair) /
                                 std::max(1e-12, forwardS(stage) + backwardS(stage)));
        if (!shares.empty()) spelled.pairTimes.share = std::clamp(medianOf(shares), 0.01, 1.0);
        if (recomputes)
            for (int layer = 0; layer < profile.layerCount(); ++layer)
                made.memory.layers[layer] = LayerMemory::recompute;
        made.schedule.order = std::move(spelled);
        return made;
    }

    const Recording& recording_;
    RecordedPasses passes_;
    std::vector<std::array<RecordedTimes, passGroupCount>> times_;
    std::vector<int>
        holder_;  ///< by stage: the device of which it is taken, of several that which computes most
    std::vector<int> copies_;  ///< by stage
    IterationOrders orders_;
    int microbatches_ = 0, stagesEach_ = 0;
    std::map<int, int> number_;  ///< by device of the recording: that of the project
    std::map<std::pair<int, int>, double> forwardLags_, backwardLags_;  ///< by stages
    std::map<std::pair<int, int>, double> rates_;                       ///< by devices
};

}  // namespace

Project projectFrom(const Recording& recording) { return ProjectMaker(recording).make(); }

}  // namespace stagecraft::recordings
