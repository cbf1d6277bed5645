#include "core/formats/recordings/chakra_nodes.h"

#include "core/base/text_parts.h"
#include "core/formats/input_error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <istream>
#include <limits>
#include <optional>
#include <sstream>

namespace stagecraft::formats {

using nlohmann::json;

namespace {

constexpr std::size_t mostMessageBytes = std::size_t{64} << 20;
constexpr std::uint64_t mostChakraNodes = 50'000'000;
constexpr int mostVarintBits = 63;

constexpr const char* chakraTypeNames[] = {"INVALID_NODE",   "METADATA_NODE", "MEM_LOAD_NODE",
                                           "MEM_STORE_NODE", "COMP_NODE",     "COMM_SEND_NODE",
                                           "COMM_RECV_NODE", "COMM_COLL_NODE"};

ChakraType chakraType(std::uint64_t number) {
    return number < std::size(chakraTypeNames) ? static_cast<ChakraType>(number) : ChakraType::invalid;
}

/// CollectiveCommType.
CollectiveKind collectiveOfNumber(std::int64_t number) {
    switch (number) {
        case 0:
            return CollectiveKind::allReduce;
        case 2:
            return CollectiveKind::allGather;
        case 7:
        case 8:
            return CollectiveKind::reduceScatter;
        default:
            return CollectiveKind::other;
    }
}

/// An attribute of a node: what recordings need of it is a whole number.
void takeAttribute(ChakraNode& node, std::string_view name, std::int64_t value) {
    if (name == "is_cpu_op") node.onCpu = value != 0;
    if (name == "stream") node.stream = value;
    if (name == "comm_type") node.collective = collectiveOfNumber(value);
}

/// Sends and collectives are such whatever they are called.
void tellCollective(ChakraNode& node) {
    if (node.type == ChakraType::send || node.type == ChakraType::receive)
        node.collective = CollectiveKind::sendReceive;
    else if (node.type != ChakraType::collective)
        node.collective = CollectiveKind::none;
    else if (node.collective == CollectiveKind::none)
        node.collective = CollectiveKind::allReduce;  // the default of its field, which is not written
}

// ---- messages of protocol buffers ----

/// The fields of a message, in order; ends early where it is none.
class MessageFields {
public:
    enum Wire : std::uint8_t { varint = 0, eightBytes = 1, bytes = 2, fourBytes = 5 };

    explicit MessageFields(std::string_view message) : rest_(message) {}

    /// The next field; false at the end.
    bool next() {
        if (rest_.empty() || broken_) return false;
        const auto key = number();
        if (!key || *key >> 3 == 0 || *key >> 3 > 1 << 20) return fail();
        field_ = static_cast<int>(*key >> 3);
        wire_ = static_cast<Wire>(*key & 7);
        value_ = 0;
        bytes_ = {};
        if (wire_ == varint) {
            const auto own = number();
            if (!own) return fail();
            value_ = *own;
            return true;
        }
        if (wire_ == eightBytes) return takeBytes(8);
        if (wire_ == fourBytes) return takeBytes(4);
        const auto length = wire_ == bytes ? number() : std::nullopt;
        return length && *length <= rest_.size() ? takeBytes(static_cast<std::size_t>(*length)) : fail();
    }
    int field() const { return field_; }
    Wire wire() const { return wire_; }
    std::uint64_t value() const { return value_; }
    std::string_view content() const { return bytes_; }
    /// It ended before its end.
    bool isBroken() const { return broken_; }

    /// All numbers of a repeated field, which come packed or one by one.
    void appendTo(std::vector<std::uint64_t>& numbers) {
        if (wire_ == varint) numbers.push_back(value_);
        if (wire_ != bytes) return;
        MessageFields packed(bytes_);
        while (!packed.rest_.empty()) {
            const auto own = packed.number();
            if (!own) {
                broken_ = true;
                return;
            }
            numbers.push_back(*own);
        }
    }

private:
    bool fail() {
        broken_ = true;
        return false;
    }
    bool takeBytes(std::size_t count) {
        if (count > rest_.size()) return fail();
        bytes_ = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return true;
    }
    std::optional<std::uint64_t> number() {
        std::uint64_t value = 0;
        for (int bits = 0; bits <= mostVarintBits && !rest_.empty(); bits += 7) {
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            value |= std::uint64_t{byte & 0x7FU} << bits;
            if (byte < 0x80) return value;
        }
        return std::nullopt;
    }

    std::string_view rest_, bytes_;
    int field_ = 0;
    Wire wire_ = varint;
    std::uint64_t value_ = 0;
    bool broken_ = false;
};

// AttributeProto: the name, and one of many values; texts and lists are left out.
void takeAttributeMessage(ChakraNode& node, std::string_view message) {
    MessageFields fields(message);
    std::string_view name;
    std::int64_t value = 0;
    bool known = false;
    while (fields.next()) {
        if (fields.field() == 1) name = fields.content();
        if (fields.field() > 2 && fields.wire() == MessageFields::varint) {
            value = static_cast<std::int64_t>(fields.value());
            known = true;
        }
    }
    if (known) takeAttribute(node, name, value);
}

/// Nothing: it is no node.
std::optional<ChakraNode> nodeOfMessage(std::string_view message) {
    enum Field { id = 1, name, type, controls, data, start, length, inputs, outputs, attribute };
    ChakraNode node;
    MessageFields fields(message);
    while (fields.next()) {
        switch (fields.field()) {
            case id:
                node.id = fields.value();
                break;
            case name:
                if (fields.wire() != MessageFields::bytes) return std::nullopt;
                node.name = fields.content();
                break;
            case type:
                node.type = chakraType(fields.value());
                break;
            case controls:
                fields.appendTo(node.callers);
                break;
            case data:
                fields.appendTo(node.inputs);
                break;
            case start:
                node.startUs = fields.value();
                break;
            case length:
                node.lengthUs = fields.value();
                break;
            case attribute:
                takeAttributeMessage(node, fields.content());
                break;
            default:
                break;
        }
    }
    if (fields.isBroken()) return std::nullopt;
    tellCollective(node);
    return node;
}

/// A version, and attributes with names.
bool isGlobalMetadata(std::string_view message) {
    MessageFields fields(message);
    while (fields.next()) {
        if (fields.field() > 2 || fields.wire() != MessageFields::bytes) return false;
        if (fields.field() != 2) continue;
        MessageFields attribute(fields.content());
        if (!attribute.next() || attribute.field() != 1 || attribute.wire() != MessageFields::bytes)
            return false;
    }
    return !fields.isBroken();
}

/// Takes a message off the beginning; nothing if it is not all there.
std::optional<std::string_view> takeMessage(std::string_view& text) {
    std::uint64_t length = 0;
    for (int bits = 0; bits < 35 && !text.empty(); bits += 7) {
        const auto byte = static_cast<unsigned char>(text.front());
        text.remove_prefix(1);
        length |= std::uint64_t{byte & 0x7FU} << bits;
        if (byte >= 0x80) continue;
        if (length > text.size()) return std::nullopt;
        const std::string_view message = text.substr(0, static_cast<std::size_t>(length));
        text.remove_prefix(message.size());
        return message;
    }
    return std::nullopt;
}

class MessageReader {
public:
    MessageReader(const RecordingFile& file, const WorkContext& context)
        : file_(file), context_(context), stream_(file), input_(&stream_) {}

    void read(const std::function<void(ChakraNode)>& visit, double from, double to) {
        std::string message;
        for (std::uint64_t count = 0; next(message); ++count) {
            if (count % 16384 == 0) {
                context_.throwIfStopped();
                context_.report(from + (to - from) * stream_.shareRead());
            }
            if (count == 0) continue;  // what is true of all nodes
            if (count > mostChakraNodes) fail("there are more than 50,000,000 nodes", "fewer");
            auto node = nodeOfMessage(message);
            if (!node) fail("message " + std::to_string(count) + " is no node", "Chakra's Node");
            visit(std::move(*node));
        }
        stream_.checkEnd();
    }

private:
    bool next(std::string& message) {
        std::uint64_t length = 0;
        int bits = 0;
        for (int byte = input_.get(); byte != std::istream::traits_type::eof(); byte = input_.get()) {
            ++place_;
            length |= std::uint64_t{static_cast<unsigned>(byte) & 0x7FU} << bits;
            bits += 7;
            if (byte >= 0x80 && bits < 35) continue;
            if (length > mostMessageBytes || byte >= 0x80)
                fail("a message has more than 64 MiB", "a Chakra execution trace");
            message.resize(static_cast<std::size_t>(length));
            input_.read(message.data(), static_cast<std::streamsize>(length));
            if (static_cast<std::uint64_t>(input_.gcount()) < length) {
                stream_.checkEnd();
                fail("the file is cut off", "a whole message");
            }
            place_ += length;
            return true;
        }
        if (bits > 0) fail("the file is cut off", "a whole message");
        return false;
    }
    [[noreturn]] void fail(const std::string& problem, const std::string& expected) const {
        throw InputError(file_.shown(), "byte " + std::to_string(place_), problem, expected);
    }

    const RecordingFile& file_;
    const WorkContext& context_;
    RecordingStream stream_;
    std::istream input_;
    std::uint64_t place_ = 0;
};

// ---- JSON ----

const json* memberOf(const json& object, const char* camel, const char* snake) {
    for (const char* name : {camel, snake})
        if (const auto found = object.find(name); found != object.end()) return &*found;
    return nullptr;
}

/// Whole numbers of 64 bits are texts there.
std::optional<std::uint64_t> countOf(const json* value) {
    if (!value) return std::nullopt;
    if (value->is_boolean()) return value->get<bool>() ? 1 : 0;
    if (value->is_number_unsigned()) return value->get<std::uint64_t>();
    if (!value->is_string()) return std::nullopt;
    const auto& text = value->get_ref<const std::string&>();
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::vector<std::uint64_t> countsOf(const json* list) {
    std::vector<std::uint64_t> counts;
    if (list && list->is_array())
        for (const json& each : *list)
            if (const auto count = countOf(&each)) counts.push_back(*count);
    return counts;
}

ChakraType typeOfJson(const json* value) {
    if (!value || !value->is_string()) return chakraType(countOf(value).value_or(0));
    const auto* name = std::ranges::find(chakraTypeNames, value->get_ref<const std::string&>());
    return name == std::end(chakraTypeNames) ? ChakraType::invalid
                                             : static_cast<ChakraType>(name - chakraTypeNames);
}

std::optional<ChakraNode> nodeOfJson(const json& object) {
    if (!object.is_object()) return std::nullopt;
    ChakraNode node;
    node.id = countOf(memberOf(object, "id", "id")).value_or(0);
    if (const json* name = memberOf(object, "name", "name")) {
        if (!name->is_string()) return std::nullopt;
        node.name = name->get<std::string>();
    }
    node.type = typeOfJson(memberOf(object, "type", "type"));
    node.startUs = countOf(memberOf(object, "startTimeMicros", "start_time_micros")).value_or(0);
    node.lengthUs = countOf(memberOf(object, "durationMicros", "duration_micros")).value_or(0);
    node.callers = countsOf(memberOf(object, "ctrlDeps", "ctrl_deps"));
    node.inputs = countsOf(memberOf(object, "dataDeps", "data_deps"));
    if (const json* attributes = memberOf(object, "attr", "attr"); attributes && attributes->is_array())
        for (const json& attribute : *attributes) {
            if (!attribute.is_object() || !attribute.contains("name") || !attribute["name"].is_string())
                continue;
            for (const auto& [key, value] : attribute.items())
                if (key != "name" && key != "docString" && key != "doc_string")
                    if (const auto number = countOf(&value))
                        takeAttribute(node, attribute["name"].get_ref<const std::string&>(),
                                      static_cast<std::int64_t>(*number));
        }
    tellCollective(node);
    return node;
}

/// What PyTorch's ExecutionTraceObserver and Chakra's trace_link write, whose kernels have the times of their
/// launches, and the graphs that Chakra's feeder reads.
bool saysWhatRanAlone(std::string_view head) {
    return head.find("-chakra.") != std::string_view::npos ||
           head.find("\"workload_graph\"") != std::string_view::npos;
}

void eachJsonNode(const RecordingFile& file, const std::function<void(ChakraNode)>& visit,
                  const WorkContext& context, double from, double to) {
    const std::string text = file.whole();
    const auto fail = [&](std::size_t place, const std::string& problem, const std::string& expected) {
        throw InputError(file.shown(), "byte " + std::to_string(place), problem, expected);
    };
    std::istringstream input(text);
    for (std::uint64_t count = 0; (input >> std::ws) && input.peek() != std::istream::traits_type::eof();
         ++count) {
        const auto place = static_cast<std::size_t>(input.tellg());
        if (count % 4096 == 0) {
            context.throwIfStopped();
            context.report(from + (to - from) * double(place) / double(text.size()));
        }
        json object;
        try {
            input >> object;
        } catch (const json::exception&) {
            fail(place, input.eof() ? "the JSON is cut off" : "this is no JSON", "a node of Chakra");
        }
        // What is true of all nodes comes first and is no node.
        if (count == 0 && object.is_object() && !object.contains("id") && !object.contains("name")) continue;
        auto node = nodeOfJson(object);
        if (!node) fail(place, "this is no node", "a node of Chakra");
        visit(std::move(*node));
    }
}

}  // namespace

bool isChakraMessages(std::string_view head) {
    if (head.starts_with('{') || head.starts_with('[')) return false;
    const auto metadata = takeMessage(head);
    if (!metadata || !isGlobalMetadata(*metadata)) return false;
    const auto first = takeMessage(head);
    if (!first || first->empty()) return false;
    const auto node = nodeOfMessage(*first);
    return node && node->type != ChakraType::invalid;
}

bool isChakraJson(std::string_view head) {
    if (!firstLine(head).starts_with('{')) return false;
    return saysWhatRanAlone(head) || std::ranges::any_of(chakraTypeNames, [&](const char* name) {
               return head.find('"' + std::string(name) + '"') != std::string_view::npos;
           });
}

void eachChakraNode(const RecordingFile& file, const std::function<void(ChakraNode)>& visit,
                    const WorkContext& context, double from, double to) {
    const std::string head = file.head();
    const bool isJson = isChakraJson(head);
    if (isJson && saysWhatRanAlone(head))
        throw InputError(file.shown(), "",
                         "this says what ran and not when it ran on the GPU, as PyTorch's execution traces "
                         "and graphs for simulators do",
                         "the profiler's own trace of that run");
    if (isJson)
        eachJsonNode(file, visit, context, from, to);
    else
        MessageReader(file, context).read(visit, from, to);
    context.report(to);
}

}  // namespace stagecraft::formats
