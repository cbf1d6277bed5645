#include "core/analysis/block_input_table.h"
#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/model/vocabulary.h"
#include "core/programs/engine_files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace stagecraft::programs {

namespace {

// Chakra's execution traces (Sridharan et al., 2023), as its feeder reads them for simulators: messages of
// protocol buffers, each after its length (et_def.proto).

std::string varintText(std::uint64_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
    return bytes + static_cast<char>(value);
}
std::string numberField(int field, std::uint64_t value) {
    return varintText(static_cast<std::uint64_t>(field) << 3) + varintText(value);
}
std::string textField(int field, const std::string& value) {
    return varintText(static_cast<std::uint64_t>(field) << 3 | 2) + varintText(value.size()) + value;
}
std::string messageText(const std::string& content) { return varintText(content.size()) + content; }

/// Of AttributeProto, by what it holds.
enum AttributeField { asInt32 = 7, asInt64 = 9, asUint64 = 13, asBool = 27, asText = 29 };
enum NodeType : std::uint8_t { loadNode = 2, storeNode, computeNode, sendNode, receiveNode, collectiveNode };

/// A node of one device's trace.
class NodeText {
public:
    NodeText(std::uint64_t id, const std::string& name, NodeType type, double startS, double endS) {
        constexpr double usOfS = 1e6;
        const auto start = static_cast<std::uint64_t>(std::llround(startS * usOfS));
        const auto end = static_cast<std::uint64_t>(std::llround(endS * usOfS));
        head_ = numberField(1, id) + textField(2, name) + numberField(3, type);
        times_ = numberField(6, start) + numberField(7, end - start);
        number("is_cpu_op", asBool, 0);
    }
    void needs(std::uint64_t id) { needs_ += varintText(id); }
    void number(const std::string& name, AttributeField field, std::uint64_t value) {
        attributes_ += textField(10, textField(1, name) + numberField(field, value));
    }
    void text(const std::string& name, const std::string& value) {
        attributes_ += textField(10, textField(1, name) + textField(asText, value));
    }
    std::string message() const {
        return messageText(head_ + (needs_.empty() ? "" : textField(5, needs_)) + times_ + attributes_);
    }

private:
    std::string head_, needs_, times_, attributes_;
};

/// All of a plan's chart, device by device.
class ChakraWriter {
public:
    explicit ChakraWriter(const EnginePlan& plan)
        : plan_(plan),
          timeline_(plan.run.evaluation->timeline),
          inputs_(BlockGraph(plan.run.evaluation->graph, timeline_)) {
        for (std::size_t lane = 0; lane < timeline_.lanes.size(); ++lane)
            for (std::uint32_t block = timeline_.lanes[lane].firstBlock;
                 block < timeline_.lanes[lane].endBlock; ++block)
                order_.push_back(block);
        std::ranges::stable_sort(order_, {}, [this](std::uint32_t block) { return timeline_.startS[block]; });
    }

    std::string traceOf(int device) {
        numberNodes(device);
        std::string text = messageText(textField(1, "0.0.4"));
        long long lastComputed = -1;
        for (const std::uint32_t block : order_) {
            const Lane& lane = timeline_.lanes[at(timeline_.laneOf(block))];
            if (lane.kind == LaneKind::channel)
                addTransfer(block, lane, device, text);
            else if (std::ranges::find(lane.devices, device) != lane.devices.end())
                addOwn(block, lane, lastComputed, text);
        }
        return text;
    }

    /// Group ids, as ASTRA-sim takes them beside the traces: {"0": [0, 1]}.
    std::string groupsJson() const {
        nlohmann::ordered_json json = nlohmann::ordered_json::object();
        for (const auto& [devices, id] : groups_) json[std::to_string(id)] = devices;
        return json.dump(2) + "\n";
    }

private:
    const std::vector<int>& devicesOf(int stage) const { return plan_.plan().stages[at(stage)].devices; }

    std::string nameOfPass(BlockKind kind, int stage, int microbatch) const {
        const char letter = passKind(kind).letter;
        return "PP:" + std::to_string(stage) + letter + std::to_string(microbatch);
    }

    /// A node's number is its block's; those of a transfer's parts, and of the first of a pair, come after
    /// all.
    void numberNodes(int device) {
        device_ = device;
        made_.clear();
        next_ = timeline_.blockCount();
        for (const std::uint32_t block : order_) {
            const Lane& lane = timeline_.lanes[at(timeline_.laneOf(block))];
            if (lane.kind != LaneKind::channel) {
                if (std::ranges::find(lane.devices, device) != lane.devices.end()) made_[block] = {block};
                continue;
            }
            for (const TransferPart& part : partsOf(block, lane))
                if (part.receiver == device) made_[block].push_back(next_++);
        }
    }

    struct TransferPart {
        int sender = 0, receiver = 0;
        double share = 0;
    };
    /// Sender i of k and receiver j of n share what both have of a microbatch.
    std::vector<TransferPart> partsOf(std::uint32_t block, const Lane& lane) const {
        const std::vector<int>& from = devicesOf(timeline_.stage[block]);
        std::vector<int> senders, receivers;
        for (const int each : lane.devices)
            (std::ranges::find(from, each) != from.end() ? senders : receivers).push_back(each);
        std::vector<TransferPart> parts;
        for (std::size_t i = 0; i < senders.size(); ++i)
            for (std::size_t j = 0; j < receivers.size(); ++j) {
                const double begin =
                    std::max(double(i) / double(senders.size()), double(j) / double(receivers.size()));
                const double end = std::min(double(i + 1) / double(senders.size()),
                                            double(j + 1) / double(receivers.size()));
                if (end - begin > 1e-9) parts.push_back({senders[i], receivers[j], end - begin});
            }
        return parts;
    }

    void needInputs(std::uint32_t block, NodeText& node) const {
        for (const std::uint32_t input : inputs_.of(block))
            if (const auto own = made_.find(input); own != made_.end())
                for (const std::uint64_t id : own->second) node.needs(id);
    }

    /// Two nodes that share its time: a trace has no word for two passes at once.
    void addPair(std::uint32_t block, long long& lastComputed, std::string& text) {
        const PairedBackward& backward = *timeline_.pairedWith(block);
        const double startS = timeline_.startS[block], endS = timeline_.endS[block],
                     middleS = (startS + endS) / 2;
        const std::uint64_t before = next_++;
        NodeText first(before,
                       nameOfPass(BlockKind::forward, timeline_.stage[block], timeline_.microbatch[block]),
                       computeNode, startS, middleS);
        if (lastComputed >= 0) first.needs(static_cast<std::uint64_t>(lastComputed));
        needInputs(block, first);
        text += first.message();
        NodeText second(block, nameOfPass(BlockKind::backward, backward.stage, backward.microbatch),
                        computeNode, middleS, endS);
        second.needs(before);
        text += second.message();
        lastComputed = block;
    }

    void addOwn(std::uint32_t block, const Lane& lane, long long& lastComputed, std::string& text) {
        const BlockKind kind = timeline_.kind[block];
        const PassRole role = passKind(kind).role;
        const double startS = timeline_.startS[block], endS = timeline_.endS[block];
        const std::uint64_t id = block;
        if (kind == BlockKind::pair) {
            addPair(block, lastComputed, text);
            return;
        }
        const NodeType type = role == PassRole::reduces            ? collectiveNode
                              : role != PassRole::swaps            ? computeNode
                              : passKind(kind).way == Way::forward ? storeNode
                                                                   : loadNode;
        const std::string name = isPass(kind)
                                     ? nameOfPass(kind, timeline_.stage[block], timeline_.microbatch[block])
                                     : std::string(blockKindName(kind));
        NodeText node(id, name, type, startS, endS);
        needInputs(block, node);
        const bool isInLane = lane.kind == LaneKind::compute;
        if (isInLane && lastComputed >= 0) node.needs(static_cast<std::uint64_t>(lastComputed));
        if (type == collectiveNode) addGroup(block, lane, node);
        text += node.message();
        if (isInLane) lastComputed = static_cast<long long>(id);
    }

    void addGroup(std::uint32_t block, const Lane& lane, NodeText& node) {
        constexpr std::uint64_t allReduceType = 0, allGatherType = 2, reduceScatterType = 7;
        const BlockKind kind = timeline_.kind[block];
        const bool isWords = isOfVocabulary(kind);
        std::vector<int> devices = lane.devices;
        if (isWords) {
            for (const std::vector<int>& copy : vocabularySharers(plan_.plan()))
                if (std::ranges::count(copy, device_) > 0) devices = copy;
            std::ranges::sort(devices);
        }
        const auto id = groups_.try_emplace(devices, static_cast<int>(groups_.size())).first->second;
        const double bytes = isWords
                                 ? bytesOfWords(kind)
                                 : plan_.run.costs->heldParameterBytes(plan_.plan(), timeline_.stage[block]);
        node.number("comm_type", asInt64,
                    kind == BlockKind::allGather       ? allGatherType
                    : kind == BlockKind::reduceScatter ? reduceScatterType
                                                       : allReduceType);
        node.number("comm_size", asInt64, static_cast<std::uint64_t>(bytes));
        node.text("pg_name", std::to_string(id));
    }

    /// Of the tensor that a copy's devices send each other; a barrier that carries none has a byte.
    double bytesOfWords(BlockKind kind) const {
        const CostModel& costs = *plan_.run.costs;
        const int beforeHead = costs.layerCount() - 2;
        const bool carries = plan_.plan().schedule.vocabulary() == VocabularyPasses::oneBarrier;
        double bytes = 0;
        if (kind == BlockKind::headInput) bytes = costs.cutForwardBytes(beforeHead);
        if (kind == BlockKind::headGradient || (kind == BlockKind::headBarrier && carries))
            bytes = costs.cutBackwardBytes(beforeHead);
        if (kind == BlockKind::embeddingOutput) bytes = costs.cutForwardBytes(0);
        if (kind == BlockKind::embeddingReturn) bytes = costs.cutBackwardBytes(0);
        const int copies = static_cast<int>(plan_.plan().stages.front().devices.size());
        return std::max(1.0, bytes / costs.dividedBy(copies));
    }

    void addTransfer(std::uint32_t block, const Lane& lane, int device, std::string& text) {
        const Stage& stage = plan_.plan().stages[at(timeline_.stage[block])];
        const bool isForward = timeline_.kind[block] == BlockKind::transferForward;
        const double bytes = (isForward ? plan_.run.costs->cutForwardBytes(stage.lastLayer)
                                        : plan_.run.costs->cutBackwardBytes(stage.firstLayer - 1)) /
                             plan_.plan().schedule.slices();
        std::size_t received = 0;
        for (const TransferPart& part : partsOf(block, lane)) {
            const bool isSender = part.sender == device;
            if (!isSender && part.receiver != device) continue;
            const std::uint64_t id = isSender ? next_++ : made_.at(block)[received++];
            NodeText node(id, blockKindName(timeline_.kind[block]), isSender ? sendNode : receiveNode,
                          timeline_.startS[block], timeline_.endS[block]);
            if (isSender) needInputs(block, node);
            node.number("comm_size", asInt64, static_cast<std::uint64_t>(bytes * part.share));
            node.number("comm_src", asInt32, static_cast<std::uint64_t>(part.sender));
            node.number("comm_dst", asInt32, static_cast<std::uint64_t>(part.receiver));
            node.number("comm_tag", asInt32, block);
            text += node.message();
        }
    }

    const EnginePlan& plan_;
    const Timeline& timeline_;
    BlockInputTable inputs_;
    std::vector<std::uint32_t> order_;  ///< by start
    int device_ = -1;                   ///< whose trace is made
    std::map<std::uint32_t, std::vector<std::uint64_t>>
        made_;  ///< what others wait for on the device, by block
    std::uint64_t next_ = 0;
    std::map<std::vector<int>, int> groups_;
};

std::vector<EngineFile> writeChakraFiles(const EnginePlan& plan) {
    ChakraWriter writer(plan);
    std::vector<EngineFile> files;
    const int devices = plan.problem().cluster.deviceCount();
    for (int device = 0; device < devices; ++device)
        files.push_back({"plan." + std::to_string(device) + ".et", writer.traceOf(device)});
    files.push_back({"groups.json", writer.groupsJson()});
    files.push_back(readmeOf(
        plan.title() + " as Chakra's execution traces",
        {"Start it in ASTRA-sim: `--workload-configuration=FOLDER/plan "
         "--comm-group-configuration=FOLDER/groups.json`, with its own "
         "system and network.",
         "plan.N.et is what device N does, in the order of the cluster: " + counted(devices, "device") + ".",
         "Passes are compute nodes that take as long as planned (`duration_micros`); data_deps are what they "
         "wait for.",
         "Transfers are pairs of send and receive nodes with the bytes of the profile, told apart by "
         "`comm_tag`.",
         "Sums of gradients and what devices that share the vocabulary send are collectives of a group in "
         "groups.json.",
         "Times of transfers and collectives are those of the plan; a simulator makes its own of their "
         "bytes.",
         "An overlapped pair is its two passes, each with half of its time.",
         "One iteration, or what the chart shows of a plan without a barrier.",
         "Read back: `stagecraft import FOLDER/plan.*.et`."}));
    return files;
}

}  // namespace

EngineFormat chakraEngine() { return {"chakra", "Chakra (ASTRA-sim)", &writeChakraFiles}; }

}  // namespace stagecraft::programs
