#include "core/formats/recordings/rank_trace.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/formats/input_error.h"
#include "core/formats/recordings/annotated_pass.h"
#include "core/formats/recordings/rank_clocks.h"
#include "core/formats/recordings/rank_passes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace stagecraft::formats {

namespace {

constexpr double nsToS = 1e-9;
constexpr double touchS = 2e-6;
constexpr int mostRankNumber = 1 << 20;
constexpr std::size_t longestToldName = 24;  // in narrow columns a name is not broken

std::optional<int> rankInFileName(const std::string& name) {
    const std::size_t place = name.find("rank");
    if (place == std::string::npos) return std::nullopt;
    std::size_t begin = place + 4;
    if (begin < name.size() && std::string_view("-_ ").find(name[begin]) != std::string_view::npos) ++begin;
    std::string digits;
    while (begin < name.size() && name[begin] >= '0' && name[begin] <= '9' && digits.size() < 7)
        digits += name[begin++];
    if (digits.empty()) return std::nullopt;
    return std::stoi(digits);
}

/// A device of the recording: what runs on it has one lane that computes.
struct TracedDevice {
    std::size_t rank = 0;  ///< of the files
    std::int32_t process = 0;
    std::optional<std::int32_t> thread;  ///< of several streams whose passes run at once
    std::vector<TracedPass> passes{};
    AwaitedEvents awaited{};
    std::vector<std::uint32_t> numbers{};    ///< of the blocks of passes
    std::vector<std::uint32_t> transfers{};  ///< blocks that brought what passes wait for, or noBlock
};

/// A pass and where it is.
struct PlacedPass {
    int device = 0;
    const RecordedBlock* block = nullptr;
    std::uint32_t number = noBlock;
};

/// What of NCCL was given a lane of its own, and what was not.
struct AttributedKernels {
    std::uint64_t transfers = 0, collectives = 0, insidePasses = 0, left = 0;
};

class RanksReader {
public:
    RanksReader(const std::vector<RankTrace>& ranks, const WorkContext& context)
        : ranks_(ranks), context_(context), builder_(context.stop) {}

    Recording read() {
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
            context_.throwIfStopped();
            findPasses(rank);
        }
        splitByStream();
        context_.throwIfStopped();
        completePasses();
        context_.throwIfStopped();
        const ClockAlignment clocks = align();
        offsetS_ = clocks.offsetS;
        for (TracedDevice& device : devices_)
            for (TracedPass& pass : device.passes)
                pass.block.startS += offsetS_[device.rank], pass.block.endS += offsetS_[device.rank];
        context_.throwIfStopped();
        addDevicesOfKernels();
        findInputs();
        addPasses();
        addNccl();
        addStreams();
        if (hasInputs_) addInputs();
        if (builder_.empty())
            throw InputError(ranks_.front().file, "", "there are neither passes nor kernels in the trace",
                             "annotations of passes (PP:0F0; 'stagecraft help recordings' says how to add "
                             "them), or kernels of GPUs");
        Recording recording;
        recording.report = std::move(report_);
        addMemory(recording);
        describe(recording, clocks);
        return builder_.finish(std::move(recording));
    }

private:
    void findPasses(std::size_t rank);
    void splitByStream();
    void completePasses();
    ClockAlignment align() const;
    void addDevicesOfKernels();
    void addPasses();
    void addNccl();
    void addStreams();
    void findInputs();
    void addInputs();
    void addInputsOf(std::size_t device, std::size_t pass);
    /// Which of the kernels, in order of their ends, brought what the pass waits for; their count: none is
    /// known.
    std::size_t bringerOf(const TracedDevice& device, std::size_t pass, const RecordedBlock& sent,
                          const std::vector<const TraceEvent*>& kernels, const std::vector<bool>& used) const;
    std::map<std::pair<std::int32_t, std::int32_t>, int> addStreamLanes(std::size_t rank);
    Lane streamLane(std::size_t rank, std::int32_t thread, int device) const;
    void addMemory(Recording& recording) const;
    std::string communicationText() const;
    void addTransfers(std::size_t device, AttributedKernels& counts);
    void addCollectives(std::size_t device, AttributedKernels& counts);
    void describe(Recording& recording, const ClockAlignment& clocks) const;
    std::string nameOf(const TracedDevice& device) const;
    int deviceOf(std::size_t rank, std::int32_t process, std::int32_t thread) const;
    double startOf(std::size_t rank, const TraceEvent& event) const {
        return double(event.startNs - originNs()) * nsToS + offsetS_[rank];
    }
    double endOf(std::size_t rank, const TraceEvent& event) const {
        return startOf(rank, event) + double(event.lengthNs) * nsToS;
    }
    /// Seconds count from the first event of all, so that a double holds their nanoseconds.
    std::int64_t originNs() const {
        if (!origin_) {
            std::int64_t first = std::numeric_limits<std::int64_t>::max();
            for (const RankTrace& rank : ranks_)
                for (const TraceEvent& event : rank.trace.events) first = std::min(first, event.startNs);
            origin_ = first;
        }
        return *origin_;
    }
    /// In a stream: what ran on a GPU or, where nothing did and no pass is known, what the program annotated.
    bool isShown(std::size_t rank, const TraceEvent& event) const {
        return event.kind == TraceEventKind::kernel || event.kind == TraceEventKind::copy ||
               (event.kind == TraceEventKind::annotation && showsAnnotations_[rank]);
    }
    const TraceEvents& traceOf(const TracedDevice& device) const { return ranks_[device.rank].trace; }

    const std::vector<RankTrace>& ranks_;
    const WorkContext& context_;
    RecordingBuilder builder_;
    RecordingReport report_;
    std::vector<TracedDevice> devices_;
    std::vector<double> offsetS_;
    mutable std::optional<std::int64_t> origin_;
    std::vector<bool> showsAnnotations_;  ///< by rank
    std::size_t timedOnCpu_ = 0;          ///< ranks with passes and no kernels
    /// Passes of all devices, for what is sent between them: by backward, stage, microbatch, iteration.
    /// One for each rank that holds the stage.
    std::map<std::tuple<bool, int, int, int>, std::vector<PlacedPass>> passes_;
    const PlacedPass* senderOf(const RecordedBlock& block, int device) const;
    bool hasInputs_ = false;
    std::vector<std::vector<std::uint32_t>> eventBlocks_;  ///< by rank and event, where files say inputs
};

void RanksReader::findPasses(std::size_t rank) {
    const TraceEvents& trace = ranks_[rank].trace;
    TracedPasses found = annotatedPasses(trace, originNs());
    if (found.idle > 0)
        report_.ignored.push_back(ranks_[rank].name + ": " +
                                  counted(static_cast<long long>(found.idle), "annotation") +
                                  " of passes launched no kernel.");
    const bool ran = std::ranges::any_of(
        trace.events, [](const TraceEvent& event) { return event.kind == TraceEventKind::kernel; });
    showsAnnotations_.push_back(!ran && found.passes.empty());
    if (found.passes.empty()) {
        GuessedPasses guess = guessedPasses(trace, originNs());
        if (!guess.passes.empty()) {
            report_.explainedShare = report_.guessed ? std::min(report_.explainedShare, guess.explainedShare)
                                                     : guess.explainedShare;
            report_.guessed = true;
        }
        found.passes = std::move(guess.passes);
    } else if (!found.onGpu) {
        ++timedOnCpu_;
    }
    std::map<std::int32_t, std::size_t> byProcess;
    for (TracedPass& pass : found.passes) {
        const auto [device, isNew] = byProcess.try_emplace(pass.process, devices_.size());
        if (isNew) devices_.push_back({rank, pass.process, std::nullopt});
        devices_[device->second].passes.push_back(std::move(pass));
    }
}

/// Several stages may share a GPU, each on a stream of its own: then each stream is a device.
void RanksReader::splitByStream() {
    std::vector<TracedDevice> split;
    for (TracedDevice& device : devices_) {
        std::map<std::int32_t, std::vector<TracedPass>> streams;
        bool overlap = false;
        for (std::size_t i = 0; i < device.passes.size(); ++i) {
            const TracedPass& pass = device.passes[i];
            overlap = overlap || (i > 0 && device.passes[i - 1].thread != pass.thread &&
                                  device.passes[i - 1].block.endS > pass.block.startS + touchS);
            streams[pass.thread].push_back(pass);
        }
        if (!overlap || streams.size() < 2) {
            split.push_back(std::move(device));
            continue;
        }
        report_.assumed.push_back(
            "Passes run on " + counted(static_cast<long long>(streams.size()), "stream") + " of " +
            nameOf(device) + " at the same time: each is taken as a device of its own.");
        std::vector<TracedDevice> own;
        for (auto& [thread, passes] : streams)
            own.push_back({device.rank, device.process, thread, std::move(passes)});
        const auto lowestStage = [](const TracedDevice& each) {
            return std::ranges::min(each.passes, {}, [](const TracedPass& pass) { return pass.block.stage; })
                .block.stage;
        };
        std::ranges::stable_sort(own, {}, lowestStage);
        split.insert(split.end(), own.begin(), own.end());
    }
    devices_ = std::move(split);
}

/// Stages, microbatches and iterations that annotations do not say.
void RanksReader::completePasses() {
    std::vector<std::vector<RecordedBlock*>> uncounted;
    bool assumesStage = false;
    for (std::size_t device = 0; device < devices_.size(); ++device) {
        std::vector<RecordedBlock*> own;
        for (TracedPass& pass : devices_[device].passes) {
            if (pass.block.stage < 0) pass.block.stage = static_cast<int>(device), assumesStage = true;
            if (pass.block.microbatch < 0 && pass.block.kind != BlockKind::update) own.push_back(&pass.block);
        }
        if (!own.empty()) uncounted.push_back(std::move(own));
    }
    if (assumesStage)
        report_.assumed.push_back(
            "Passes do not say their stage: each rank is one, in the order of the ranks.");
    if (!uncounted.empty()) {
        countMicrobatches(uncounted);
        report_.assumed.push_back(
            "Passes do not say their microbatch: they are counted in the order in which they ran.");
    }
    std::uint64_t cut = 0;
    for (TracedDevice& device : devices_) {
        std::vector<RecordedBlock> blocks;
        for (const TracedPass& pass : device.passes) blocks.push_back(pass.block);
        context_.throwIfStopped();
        numberIterations(blocks);
        std::vector<TracedPass> kept;
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            device.passes[i].block = blocks[i];
            if (blocks[i].iteration >= 0) kept.push_back(device.passes[i]);
        }
        cut += blocks.size() - kept.size();
        device.passes = std::move(kept);
    }
    if (cut > 0)
        report_.ignored.push_back(counted(static_cast<long long>(cut), "pass", "passes") +
                                  " of an iteration that began before the recording.");
}

ClockAlignment RanksReader::align() const {
    std::vector<ClockedRank> clocks(ranks_.size());
    for (const TracedDevice& device : devices_)
        for (const TracedPass& pass : device.passes) clocks[device.rank].passes.push_back(pass.block);
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        std::vector<std::pair<CollectiveKind, double>>& own = clocks[rank].collectives;
        for (const TraceEvent& event : ranks_[rank].trace.events) {
            if (event.kind != TraceEventKind::kernel) continue;
            const CollectiveKind kind = event.collective;
            if (kind != CollectiveKind::none)
                own.emplace_back(kind, double(event.endNs() - originNs()) * nsToS);
        }
        std::sort(own.begin(), own.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    }
    return alignedClocks(clocks);
}

int RanksReader::deviceOf(std::size_t rank, std::int32_t process, std::int32_t thread) const {
    int found = -1;
    for (std::size_t device = 0; device < devices_.size(); ++device) {
        const TracedDevice& each = devices_[device];
        if (each.rank != rank || each.process != process) continue;
        if (each.thread == thread) return static_cast<int>(device);
        if (!each.thread || found < 0) found = static_cast<int>(device);
    }
    return found;
}

/// GPUs on which no pass was found.
void RanksReader::addDevicesOfKernels() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        std::set<std::int32_t> processes;
        for (const TraceEvent& event : ranks_[rank].trace.events)
            if (isShown(rank, event)) processes.insert(event.process);
        for (const std::int32_t process : processes)
            if (deviceOf(rank, process, -1) < 0) devices_.push_back({rank, process, std::nullopt});
    }
    std::stable_sort(devices_.begin(), devices_.end(), [&](const TracedDevice& a, const TracedDevice& b) {
        return ranks_[a.rank].rank < ranks_[b.rank].rank;
    });
}

void RanksReader::addPasses() {
    for (std::size_t device = 0; device < devices_.size(); ++device) {
        // One that has none has a lane all the same: its streams are below it.
        const int lane = builder_.computeLane(static_cast<int>(device));
        for (const TracedPass& pass : devices_[device].passes) {
            const std::uint32_t number = builder_.add(lane, pass.block);
            devices_[device].numbers.push_back(number);
            const RecordedBlock& block = pass.block;
            if (block.kind == BlockKind::forward || givesGradient(block.kind))
                passes_[{block.kind != BlockKind::forward, block.stage, block.microbatch, block.iteration}]
                    .push_back({static_cast<int>(device), &block, number});
        }
    }
}

/// The pass that the block waits for; of several ranks with its stage that which is as far among them.
const PlacedPass* RanksReader::senderOf(const RecordedBlock& block, int device) const {
    const bool backward = block.kind != BlockKind::forward;
    const auto own = passes_.find({backward, block.stage, block.microbatch, block.iteration});
    const auto sent =
        passes_.find({backward, block.stage + (backward ? 1 : -1), block.microbatch, block.iteration});
    if (own == passes_.end() || sent == passes_.end()) return nullptr;
    const auto place = std::ranges::find(own->second, device, &PlacedPass::device) - own->second.begin();
    return &sent->second[std::min(static_cast<std::size_t>(place), sent->second.size() - 1)];
}

/// The one that the pass waited for, where the trace says it. Else one that ends between the pass on another
/// device and the one that waits for it; it may have begun to wait for it earlier.
std::size_t RanksReader::bringerOf(const TracedDevice& device, std::size_t pass, const RecordedBlock& sent,
                                   const std::vector<const TraceEvent*>& kernels,
                                   const std::vector<bool>& used) const {
    const std::vector<std::uint32_t> none;
    const auto& awaited = device.awaited.ofPass.empty() ? none : device.awaited.ofPass[pass];
    for (std::size_t i = kernels.size(); i-- > 0 && endOf(device.rank, *kernels[i]) >= sent.endS;)
        if (!used[i] && std::ranges::any_of(awaited, [&](std::uint32_t event) {
                return &traceOf(device).events[event] == kernels[i];
            }))
            return i;
    for (std::size_t i = kernels.size(); i-- > 0;) {
        const double endS = endOf(device.rank, *kernels[i]);
        if (used[i] || endS > device.passes[pass].block.startS + touchS) continue;
        return endS < sent.endS ? kernels.size() : i;
    }
    return kernels.size();
}

void RanksReader::addTransfers(std::size_t device, AttributedKernels& counts) {
    const TracedDevice& own = devices_[device];
    std::vector<const TraceEvent*> kernels;
    for (const TraceEvent& event : traceOf(own).events)
        if (event.kind == TraceEventKind::kernel && event.collective == CollectiveKind::sendReceive &&
            deviceOf(own.rank, event.process, event.thread) == static_cast<int>(device))
            kernels.push_back(&event);
    std::sort(kernels.begin(), kernels.end(),
              [](const TraceEvent* a, const TraceEvent* b) { return a->endNs() < b->endNs(); });
    std::vector<bool> used(kernels.size(), false);
    std::map<std::pair<int, bool>, int> lanes;  // by sender and way
    devices_[device].transfers.assign(own.passes.size(), noBlock);
    for (std::size_t pass = 0; pass < own.passes.size(); ++pass) {
        const RecordedBlock& block = own.passes[pass].block;
        const bool backward = block.kind != BlockKind::forward;
        if (backward && !givesGradient(block.kind)) continue;
        const PlacedPass* sender = senderOf(block, static_cast<int>(device));
        if (!sender || sender->device == static_cast<int>(device)) continue;
        const int from = sender->device;
        const RecordedBlock& sent = *sender->block;
        const std::size_t kernel = bringerOf(own, pass, sent, kernels, used);
        if (kernel == kernels.size()) continue;
        used[kernel] = true;
        ++counts.transfers;
        const auto [lane, isNew] = lanes.try_emplace({from, backward}, -1);
        if (isNew)
            lane->second =
                builder_.addLane({LaneKind::channel,
                                  backward ? std::vector{static_cast<int>(device), from}
                                           : std::vector{from, static_cast<int>(device)},
                                  std::min(sent.stage, block.stage), std::max(sent.stage, block.stage),
                                  backward ? Direction::backward : Direction::forward});
        RecordedBlock transfer{backward ? BlockKind::transferBackward : BlockKind::transferForward,
                               sent.stage, block.microbatch};
        transfer.iteration = block.iteration;
        transfer.endS = endOf(own.rank, *kernels[kernel]);
        transfer.startS = std::min(std::max(startOf(own.rank, *kernels[kernel]), sent.endS), transfer.endS);
        devices_[device].transfers[pass] = builder_.add(lane->second, std::move(transfer));
    }
    counts.left += static_cast<std::uint64_t>(std::count(used.begin(), used.end(), false));
}

/// Sums among ranks outside of passes, which are those of gradients and weights.
void RanksReader::addCollectives(std::size_t device, AttributedKernels& counts) {
    const TracedDevice& own = devices_[device];
    int stage = -1, lane = -1;
    for (const TracedPass& pass : own.passes)
        if (stage < 0 || pass.block.stage < stage) stage = pass.block.stage;
    for (const TraceEvent& event : traceOf(own).events) {
        if (event.kind != TraceEventKind::kernel ||
            deviceOf(own.rank, event.process, event.thread) != static_cast<int>(device))
            continue;
        const CollectiveKind kind = event.collective;
        if (kind == CollectiveKind::none || kind == CollectiveKind::sendReceive) continue;
        const double startS = startOf(own.rank, event), endS = endOf(own.rank, event);
        const auto after =
            std::upper_bound(own.passes.begin(), own.passes.end(), startS,
                             [](double time, const TracedPass& pass) { return time < pass.block.startS; });
        const bool before = after == own.passes.begin();
        if (kind == CollectiveKind::other || stage < 0 || before) {
            ++counts.left;
            continue;
        }
        const RecordedBlock& last = std::prev(after)->block;
        if (endS <= last.endS) {
            ++counts.insidePasses;
            continue;
        }
        if (lane < 0) lane = builder_.addLane({LaneKind::allReduce, {static_cast<int>(device)}, stage, -1});
        RecordedBlock block{kind == CollectiveKind::allReduce       ? BlockKind::allReduce
                            : kind == CollectiveKind::reduceScatter ? BlockKind::reduceScatter
                                                                    : BlockKind::allGather,
                            stage};
        block.iteration = last.iteration;
        block.startS = startS, block.endS = endS;
        builder_.add(lane, std::move(block));
        ++counts.collectives;
    }
}

void RanksReader::addNccl() {
    AttributedKernels counts;
    for (std::size_t device = 0; device < devices_.size(); ++device) {
        context_.throwIfStopped();
        addTransfers(device, counts);
        addCollectives(device, counts);
    }
    const auto say = [](std::vector<std::string>& list, std::uint64_t count, const std::string& one,
                        const std::string& many) {
        if (count > 0) list.push_back(counted(static_cast<long long>(count), one, many));
    };
    say(report_.recognised, counts.transfers, "SendRecv kernel brought what a pass waits for.",
        "SendRecv kernels brought what passes wait for.");
    say(report_.recognised, counts.collectives, "collective of NCCL between passes.",
        "collectives of NCCL between passes.");
    say(report_.ignored, counts.insidePasses, "collective inside a pass stays in its stream.",
        "collectives inside passes stay in their streams.");
    say(report_.ignored, counts.left,
        "kernel of NCCL of which the trace does not say between whom stays in its stream.",
        "kernels of NCCL of which the trace does not say between whom stay in their streams.");
}

/// By process and thread; in the order of their numbers.
std::map<std::pair<std::int32_t, std::int32_t>, int> RanksReader::addStreamLanes(std::size_t rank) {
    const TraceEvents& trace = ranks_[rank].trace;
    std::set<std::pair<std::int32_t, std::int32_t>> places;
    for (const TraceEvent& event : trace.events)
        if (isShown(rank, event)) places.emplace(event.process, event.thread);
    std::vector<std::pair<std::int32_t, std::int32_t>> sorted(places.begin(), places.end());
    std::ranges::stable_sort(sorted, {}, [&trace](const auto& place) {
        return std::pair(trace.numberOf(place.first), trace.numberOf(place.second));
    });
    std::map<std::pair<std::int32_t, std::int32_t>, int> lanes;
    for (const auto& [process, thread] : sorted)
        if (const int device = deviceOf(rank, process, thread); device >= 0)
            lanes[{process, thread}] = builder_.addLane(streamLane(rank, thread, device));
    return lanes;
}

void RanksReader::addStreams() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        const TraceEvents& trace = ranks_[rank].trace;
        context_.throwIfStopped();
        std::vector<int> labels(trace.names.size(), -1);
        std::vector<bool> communicate;
        for (const std::string& name : trace.names)
            communicate.push_back(collectiveOf(name) != CollectiveKind::none);
        const std::map<std::pair<std::int32_t, std::int32_t>, int> laneOf = addStreamLanes(rank);
        if (hasInputs_) eventBlocks_.emplace_back(trace.events.size(), noBlock);
        for (const TraceEvent& event : trace.events) {
            if (!isShown(rank, event)) continue;
            const auto lane = laneOf.find({event.process, event.thread});
            if (lane == laneOf.end()) continue;
            RecordedBlock block;
            if (event.collective != CollectiveKind::none || communicate[at(event.name)])
                block.kind = BlockKind::communication;
            block.stage = -1;
            block.iteration = -1;
            int& label = labels[at(event.name)];
            if (label < 0) label = builder_.label(trace.nameOf(event));
            block.label = label;
            block.startS = startOf(rank, event);
            block.endS = endOf(rank, event);
            const std::uint32_t number = builder_.add(lane->second, std::move(block));
            if (hasInputs_) eventBlocks_[rank][at(&event - trace.events.data())] = number;
        }
    }
}

void RanksReader::findInputs() {
    std::uint64_t inputs = 0, later = 0;
    for (const RankTrace& rank : ranks_) inputs += rank.trace.inputs.size(), later += rank.trace.laterInputs;
    hasInputs_ = inputs > 0;
    if (!hasInputs_) return;
    for (TracedDevice& device : devices_) {
        context_.throwIfStopped();
        device.awaited = awaitedEvents(traceOf(device), device.passes, originNs(), offsetS_[device.rank]);
    }
    report_.recognised.push_back(
        counted(static_cast<long long>(inputs), "dependency", "dependencies") +
        " between kernels. What passes wait for on other ranks is told by their stages.");
    if (later > 0)
        report_.ignored.push_back(counted(static_cast<long long>(later), "dependency", "dependencies") +
                                  " on what ended after the kernel had begun.");
}

/// What the pass needs by its stage, as transfers are found, and what its kernels waited for.
void RanksReader::addInputsOf(std::size_t device, std::size_t pass) {
    const TracedDevice& own = devices_[device];
    const RecordedBlock& block = own.passes[pass].block;
    const std::uint32_t number = own.numbers[pass];
    const bool gradient = givesGradient(block.kind);
    const bool isSent = gradient || block.kind == BlockKind::forward;
    const PlacedPass* sender = isSent ? senderOf(block, static_cast<int>(device)) : nullptr;
    if (const std::uint32_t transfer = own.transfers[pass]; transfer != noBlock) {
        builder_.addInput(number, transfer);
        builder_.addInput(transfer, sender->number);
    } else if (sender) {
        builder_.addInput(number, sender->number);
    } else if (const auto forward = passes_.find({false, block.stage, block.microbatch, block.iteration});
               gradient && forward != passes_.end()) {
        const auto same = std::ranges::find(forward->second, static_cast<int>(device), &PlacedPass::device);
        if (same != forward->second.end()) builder_.addInput(number, same->number);
    }
    for (const std::uint32_t event : own.awaited.ofPass[pass]) {
        const bool brought = own.transfers[pass] != noBlock &&
                             traceOf(own).events[event].collective == CollectiveKind::sendReceive;
        const auto source = own.awaited.passOf.find(event);
        if (brought) continue;
        if (source != own.awaited.passOf.end())
            builder_.addInput(number, own.numbers[source->second]);
        else if (const std::uint32_t from = eventBlocks_[own.rank][event]; from != noBlock)
            builder_.addInput(number, from);
    }
}

void RanksReader::addInputs() {
    for (std::size_t device = 0; device < devices_.size(); ++device) {
        context_.throwIfStopped();
        for (std::size_t pass = 0; pass < devices_[device].passes.size(); ++pass) addInputsOf(device, pass);
    }
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
        for (const TraceInput& each : ranks_[rank].trace.inputs) {
            const std::uint32_t to = eventBlocks_[rank][each.event], from = eventBlocks_[rank][each.input];
            if (to != noBlock && from != noBlock) builder_.addInput(to, from);
        }
}

/// A stream of a GPU is called by its number, a thread as the operating system calls it.
Lane RanksReader::streamLane(std::size_t rank, std::int32_t thread, int device) const {
    const TraceEvents& trace = ranks_[rank].trace;
    Lane lane{LaneKind::stream, {device}};
    lane.name = thread >= 0 && at(thread) < trace.places.size() ? trace.places[at(thread)] : std::string();
    if (!showsAnnotations_[rank]) return lane;
    const std::int32_t process = devices_[at(device)].process;
    const auto known = trace.threadNames.find({process, thread});
    // "thread 3554 (pt_main_thread)": its number tells it from others.
    lane.name = known == trace.threadNames.end() ? "thread " + lane.name
                                                 : known->second.substr(0, known->second.find(" ("));
    return lane;
}

/// What PyTorch's allocator said of each GPU.
void RanksReader::addMemory(Recording& recording) const {
    double mostAllocated = 0, mostReserved = 0;
    long long gpus = 0;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        std::map<int, std::vector<const TraceMemory*>> byDevice;
        for (const TraceMemory& each : ranks_[rank].trace.memory)
            if (const int device = deviceOf(rank, each.process, -1); device >= 0)
                byDevice[device].push_back(&each);
        for (auto& [device, events] : byDevice) {
            std::ranges::stable_sort(events, {}, &TraceMemory::atNs);
            RecordedSeries allocated{"allocated", "bytes", device, {}, {}};
            RecordedSeries reserved{"reserved", "bytes", device, {}, {}};
            for (const TraceMemory* each : events) {
                const double timeS =
                    double(std::max(each->atNs, originNs()) - originNs()) * nsToS + offsetS_[rank];
                allocated.timeS.push_back(timeS), allocated.values.push_back(each->allocatedBytes);
                reserved.timeS.push_back(timeS), reserved.values.push_back(each->reservedBytes);
            }
            mostAllocated = std::max(mostAllocated, std::ranges::max(allocated.values));
            mostReserved = std::max(mostReserved, std::ranges::max(reserved.values));
            ++gpus;
            recording.series.push_back(std::move(allocated));
            recording.series.push_back(std::move(reserved));
        }
    }
    if (gpus > 0)
        recording.report.recognised.push_back("Memory of " + counted(gpus, "GPU") + ": at most " +
                                              formatBytes(mostAllocated) + " allocated and " +
                                              formatBytes(mostReserved) + " reserved.");
}

/// "24 SendRecv, 12 AllReduce"; empty: none does.
std::string RanksReader::communicationText() const {
    constexpr std::pair<CollectiveKind, const char*> kinds[] = {
        {CollectiveKind::sendReceive, "SendRecv"},
        {CollectiveKind::allReduce, "AllReduce"},
        {CollectiveKind::reduceScatter, "ReduceScatter"},
        {CollectiveKind::allGather, "AllGather"},
        {CollectiveKind::other, "of other kinds"}};
    std::map<CollectiveKind, long long> counts;
    for (const RankTrace& rank : ranks_)
        for (const TraceEvent& event : rank.trace.events) ++counts[event.collective];
    std::string text;
    for (const auto& [kind, word] : kinds)
        if (const long long count = counts[kind]; count > 0)
            text += (text.empty() ? "" : ", ") + grouped(count) + " " + word;
    return text;
}

std::string RanksReader::nameOf(const TracedDevice& device) const {
    std::string name = "rank" + std::to_string(ranks_[device.rank].rank);
    int ofRank = 0;
    for (const TracedDevice& each : devices_)
        ofRank += each.rank == device.rank && each.process != device.process;
    if (ofRank > 0) name += "-" + std::to_string(std::max(0, traceOf(device).numberOf(device.process)));
    if (device.thread)
        name += "-stream" + std::to_string(std::max(0, traceOf(device).numberOf(*device.thread)));
    return name;
}

void RanksReader::describe(Recording& recording, const ClockAlignment& clocks) const {
    std::set<std::string> ids;
    for (const TracedDevice& device : devices_) {
        std::string id = nameOf(device);
        while (!ids.insert(id).second) id += "'";
        recording.cluster.devices.push_back({id, "", "", 0, 1, 0});
    }
    recording.cluster.name = counted(static_cast<long long>(devices_.size()), "device");
    recording.cluster.source = "a recording";
    RecordingReport& report = recording.report;
    std::uint64_t passes = 0, kernels = 0, leftOut = 0, unended = 0;
    for (const TracedDevice& device : devices_) passes += device.passes.size();
    for (const RankTrace& rank : ranks_) {
        leftOut += rank.trace.leftOut, unended += rank.trace.unended;
        for (const TraceEvent& event : rank.trace.events)
            kernels += event.kind == TraceEventKind::kernel || event.kind == TraceEventKind::copy;
    }
    const auto number = [](std::uint64_t count) { return static_cast<long long>(count); };
    std::string found;
    if (passes > 0)
        found = counted(number(passes), "pass", "passes") +
                (report.guessed ? " by their repeating pattern" : "") + (kernels > 0 ? " and " : "");
    if (kernels > 0) found += counted(number(kernels), "kernel or copy", "kernels and copies");
    if (found.empty()) found = "Annotations";
    report.recognised.insert(report.recognised.begin(),
                             found + " of " + counted(number(ranks_.size()), "rank") + ".");
    if (const std::string text = communicationText(); !text.empty())
        report.recognised.push_back("Kernels that communicate: " + text + ".");
    const auto ofRanks = [&](std::size_t count) {
        return count == ranks_.size() ? std::string() : "On " + counted(number(count), "rank") + ": ";
    };
    if (const auto shown = std::ranges::count(showsAnnotations_, true); shown > 0)
        report.assumed.push_back(ofRanks(static_cast<std::size_t>(shown)) +
                                 "Nothing ran on a GPU: what the program annotated is shown by its threads.");
    if (timedOnCpu_ > 0)
        report.assumed.push_back(ofRanks(timedOnCpu_) +
                                 "There are no kernels: passes last from their first operator on the CPU.");
    if (passes == 0)
        report.assumed.push_back(
            "Nothing names or repeats passes: streams are shown as they are. A trace in which each pass is "
            "within record_function(\"PP:0F3\"), the forward of microbatch 3 on stage 0, has them.");
    if (report.guessed)
        report.assumed.push_back("Passes are a guess, which explains " +
                                 formatPercent(report.explainedShare) + " of the time in which kernels ran.");
    if (ranks_.size() > 1) tellClocks(clocks, report);
    if (leftOut > 0)
        report.ignored.push_back(counted(number(leftOut), "event") + " of the CPU, of flows and the like.");
    if (unended > 0)
        report.ignored.push_back(counted(number(unended), "event") + " without a beginning or an end.");
}

}  // namespace

void numberRanks(std::vector<RankTrace>& ranks) {
    std::map<int, const RankTrace*> taken;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        RankTrace& rank = ranks[i];
        std::optional<int> number;
        const auto about = rank.trace.about.find("distributedInfo");
        if (about != rank.trace.about.end() && about->is_object() && about->contains("rank") &&
            (*about)["rank"].is_number_integer())
            number = static_cast<int>(
                std::clamp<std::int64_t>((*about)["rank"].get<std::int64_t>(), 0, mostRankNumber));
        if (!number) number = rankInFileName(rank.name);
        rank.rank = number.value_or(static_cast<int>(i));
        if (const auto [other, isNew] = taken.try_emplace(rank.rank, &rank); !isNew)
            throw InputError(rank.file, "",
                             "it is of rank " + std::to_string(rank.rank) + ", as " +
                                 inQuotes(other->second->name, longestToldName) + " is",
                             oneFileEachRank);
    }
    std::stable_sort(ranks.begin(), ranks.end(),
                     [](const RankTrace& a, const RankTrace& b) { return a.rank < b.rank; });
}

Recording recordingOfRanks(const std::vector<RankTrace>& ranks, const WorkContext& context) {
    return RanksReader(ranks, context).read();
}

}  // namespace stagecraft::formats
