#include "core/formats/recordings/trace_events.h"

#include "core/base/text_parts.h"
#include "core/formats/input_error.h"
#include "core/formats/recordings/annotated_pass.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <istream>
#include <limits>
#include <unordered_map>

namespace stagecraft::formats {

using nlohmann::json;

namespace {

constexpr std::int64_t noTime = std::numeric_limits<std::int64_t>::min();
constexpr double mostMicroseconds = 4e15;  // 126 years
constexpr int deepest = 64;
constexpr std::uint64_t mostAbout = 200'000, mostEvents = 100'000'000;
constexpr std::size_t mostNames = 4'000'000;

/// "4909797067393.771" microseconds, to the nanosecond, which a double does not have at such a distance.
std::int64_t nanosecondsOf(double value, const std::string& text) {
    if (!(std::abs(value) < mostMicroseconds)) return noTime;
    if (text.find_first_not_of("0123456789.-") != std::string::npos) return std::llround(value * 1e3);
    const std::size_t point = text.find('.');
    std::int64_t whole = 0;
    std::from_chars(text.data(), text.data() + std::min(point, text.size()), whole);
    std::int64_t part = 0, unit = 100;
    if (point != std::string::npos)
        for (std::size_t i = point + 1; i < text.size() && unit > 0; ++i, unit /= 10)
            part += unit * (text[i] - '0');
    return whole * 1000 + (text[0] == '-' ? -part : part);
}

enum class Field : std::uint8_t {
    none,
    phase,
    category,
    name,
    process,
    thread,
    time,
    length,
    id,
    arguments,
    // of arguments
    correlation,
    externalId,
    block,
    stage,
    microbatch,
    slice,
    miniBatch,
    backwardStage,
    backwardMicrobatch,
    label,
    argumentName,
    allocated,
    reserved,
    deviceType,
    deviceId
};

struct FieldName {
    std::string_view name;
    Field field;
};
constexpr FieldName eventFields[] = {
    {"ph", Field::phase},    {"cat", Field::category}, {"name", Field::name},
    {"pid", Field::process}, {"tid", Field::thread},   {"ts", Field::time},
    {"dur", Field::length},  {"id", Field::id},        {"args", Field::arguments}};
constexpr FieldName argumentFields[] = {{"correlation", Field::correlation},
                                        {"External id", Field::externalId},
                                        {"external id", Field::externalId},
                                        {"block", Field::block},
                                        {"stage", Field::stage},
                                        {"microbatch", Field::microbatch},
                                        {"slice", Field::slice},
                                        {"mini_batch", Field::miniBatch},
                                        {"backward_stage", Field::backwardStage},
                                        {"backward_microbatch", Field::backwardMicrobatch},
                                        {"label", Field::label},
                                        {"name", Field::argumentName},
                                        {"Total Allocated", Field::allocated},
                                        {"Total Reserved", Field::reserved},
                                        {"Device Type", Field::deviceType},
                                        {"Device Id", Field::deviceId}};

template <std::size_t count>
Field fieldOf(const FieldName (&fields)[count], const std::string& name) {
    for (const FieldName& each : fields)
        if (name == each.name) return each.field;
    return Field::none;
}

/// An event while it is read.
struct OpenEvent {
    char phase = 0;
    std::string category, name, argumentName, label;
    std::int32_t process = 0, thread = 0;
    std::int64_t timeNs = noTime, lengthNs = 0, id = -1, correlation = -1, externalId = -1;
    TraceBlock own;
    double sum = 0;  ///< of the numbers among its arguments
    double allocatedBytes = -1, reservedBytes = -1;
    std::int64_t deviceType = -1, deviceId = -1;

    void clear() {
        phase = 0;
        category.clear(), name.clear(), argumentName.clear(), label.clear();
        process = thread = 0;
        timeNs = noTime, lengthNs = 0, id = correlation = externalId = -1;
        own = TraceBlock{};
        sum = 0;
        allocatedBytes = reservedBytes = -1;
        deviceType = deviceId = -1;
    }
};

TraceEventKind const* kindOfCategory(const std::string& category) {
    static constexpr std::pair<std::string_view, TraceEventKind> kinds[] = {
        {"kernel", TraceEventKind::kernel},
        {"Kernel", TraceEventKind::kernel},
        {"cuda_runtime", TraceEventKind::launch},
        {"cuda_driver", TraceEventKind::launch},
        {"hip_runtime", TraceEventKind::launch},
        {"Runtime", TraceEventKind::launch},
        {"gpu_memcpy", TraceEventKind::copy},
        {"gpu_memset", TraceEventKind::copy},
        {"Memcpy", TraceEventKind::copy},
        {"Memset", TraceEventKind::copy},
        {"user_annotation", TraceEventKind::annotation},
        {"gpu_user_annotation", TraceEventKind::gpuAnnotation}};
    for (const auto& [name, kind] : kinds)
        if (category == name) return &kind;
    return nullptr;
}

/// An operator of torch.distributed, which may wait for another rank.
bool communicates(const std::string& name) {
    static constexpr const char* beginnings[] = {"c10d::", "gloo:", "nccl:", "record_param_comms"};
    return std::ranges::any_of(beginnings, [&](const char* each) { return name.starts_with(each); });
}

bool receives(const std::string& name) {
    const std::size_t place = name.rfind(':');
    return communicates(name) && place != std::string::npos && name.compare(place + 1, 4, "recv") == 0;
}

/// Takes what the parser finds; nlohmann calls its members without a base class.
class EventHandler {
public:
    using number_integer_t = json::number_integer_t;
    using number_unsigned_t = json::number_unsigned_t;
    using number_float_t = json::number_float_t;
    using string_t = json::string_t;
    using binary_t = json::binary_t;

    EventHandler(const RecordingFile& file, const RecordingStream& stream, const WorkContext& context,
                 double from, double to)
        : file_(file), stream_(stream), context_(context), from_(from), to_(to) {}

    TraceEvents take();

    bool null() { return value(nullptr); }
    bool boolean(bool given) { return value(given); }
    bool number_integer(number_integer_t given) { return number(double(given), given); }
    bool number_unsigned(number_unsigned_t given) {
        return number(double(given), static_cast<std::int64_t>(
                                         std::min<number_unsigned_t>(given, number_unsigned_t{1} << 62)));
    }
    bool number_float(number_float_t given, const string_t& text) {
        if (inEvent() && (field_ == Field::time || field_ == Field::length)) {
            (field_ == Field::time ? open_.timeNs : open_.lengthNs) = nanosecondsOf(given, text);
            return true;
        }
        return number(given, std::abs(given) < 9e18 ? static_cast<std::int64_t>(given) : -1);
    }
    bool string(string_t& given);
    bool binary(binary_t&) { return true; }
    bool start_object(std::size_t) { return start(false); }
    bool end_object();
    bool start_array(std::size_t) { return start(true); }
    bool end_array() { return end(); }
    bool key(string_t& name);
    bool parse_error(std::size_t place, const std::string&, const nlohmann::detail::exception& error) {
        stream_.checkEnd();
        const bool overflows = dynamic_cast<const json::out_of_range*>(&error) != nullptr;
        const bool ends = stream_.exhausted();
        throw InputError(file_.shown(), "byte " + std::to_string(place),
                         overflows ? "a number is too large"
                         : ends    ? "the JSON is cut off"
                                   : "this is no JSON",
                         "a Trace Event file as the profiler wrote it");
    }

private:
    bool inEvent() const { return depth_ == eventsDepth_ + 1 && eventsDepth_ > 0; }
    bool inArguments() const { return depth_ == eventsDepth_ + 2 && inArguments_; }
    bool number(double given, std::int64_t whole);
    template <typename Value>
    bool value(Value given) {
        if (depth_ == 0) refuse();
        if (capturing()) return capture(json(given));
        return true;
    }
    [[noreturn]] void refuse() const {
        throw InputError(file_.shown(), "", "there are no trace events",
                         R"(an object with "traceEvents", or an array of events)");
    }
    bool start(bool isArray);
    bool end();
    bool capturing() const { return depth_ > 0 && eventsDepth_ == 0 && rootIsObject_; }
    bool capture(json given);
    void finishEvent();
    void finishComplete(std::int64_t startNs, std::int64_t lengthNs);
    void finishOwn(std::int64_t startNs, std::int64_t lengthNs);
    void finishMeta();
    /// An allocator's event, of c10's device types other than the CPU, which is 0.
    bool holdsGpuMemory() const {
        return open_.deviceType > 0 && open_.deviceId >= 0 && open_.allocatedBytes >= 0;
    }
    void beginOrEnd();
    std::int32_t placeOf(const std::string& text) { return numbered(places_, result_.places, text); }
    std::int32_t nameNumber(const std::string& text) { return numbered(names_, result_.names, text); }
    std::int32_t numbered(std::unordered_map<std::string, std::int32_t>& known, std::vector<std::string>& all,
                          const std::string& text);

    const RecordingFile& file_;
    const RecordingStream& stream_;
    const WorkContext& context_;
    double from_, to_;
    TraceEvents result_;
    std::unordered_map<std::string, std::int32_t> names_, places_;
    struct Begun {
        std::int32_t name;
        std::int64_t atNs;
    };
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Begun>> begun_;  // by process, thread
    OpenEvent open_;
    int depth_ = 0, eventsDepth_ = 0;
    bool rootIsObject_ = false, inArguments_ = false, foundEvents_ = false;
    Field field_ = Field::none;
    std::string topField_;
    std::vector<json*> captured_;  ///< open values of `about`
    std::string capturedField_;
    std::uint64_t values_ = 0, count_ = 0;
};

std::int32_t EventHandler::numbered(std::unordered_map<std::string, std::int32_t>& known,
                                    std::vector<std::string>& all, const std::string& text) {
    const auto [found, isNew] = known.try_emplace(text, static_cast<std::int32_t>(all.size()));
    if (isNew) all.push_back(text);
    if (all.size() > mostNames)
        throw InputError(file_.shown(), "", "the events have more than 4,000,000 names", "fewer");
    return found->second;
}

bool EventHandler::key(string_t& name) {
    if (inEvent()) {
        field_ = fieldOf(eventFields, name);
    } else if (inArguments()) {
        field_ = fieldOf(argumentFields, name);
    } else if (depth_ == 1 && rootIsObject_ && eventsDepth_ == 0) {
        topField_ = name;
    } else if (capturing()) {
        capturedField_ = name;
    }
    return true;
}

bool EventHandler::string(string_t& given) {
    if (inEvent()) {
        if (field_ == Field::phase && !given.empty()) open_.phase = given[0];
        if (field_ == Field::category) open_.category = given;
        if (field_ == Field::name) open_.name.swap(given);
        if (field_ == Field::process) open_.process = placeOf(given);
        if (field_ == Field::thread) open_.thread = placeOf(given);
        return true;
    }
    if (inArguments()) {
        if (field_ == Field::argumentName) open_.argumentName.swap(given);
        if (field_ == Field::label) open_.label.swap(given);
        return true;
    }
    return value(given);
}

bool EventHandler::number(double given, std::int64_t whole) {
    const auto small = [whole] {
        return whole >= -1 && whole < std::numeric_limits<std::int32_t>::max() ? static_cast<int>(whole) : -1;
    };
    if (inEvent()) {
        if (field_ == Field::time || field_ == Field::length)
            (field_ == Field::time ? open_.timeNs : open_.lengthNs) =
                std::abs(given) < mostMicroseconds ? whole * 1000 : noTime;
        if (field_ == Field::process) open_.process = placeOf(std::to_string(whole));
        if (field_ == Field::thread) open_.thread = placeOf(std::to_string(whole));
        if (field_ == Field::id) open_.id = whole;
        return true;
    }
    if (!inArguments()) return value(given);
    open_.sum += given;
    if (field_ == Field::correlation) open_.correlation = whole;
    if (field_ == Field::externalId) open_.externalId = whole;
    if (field_ == Field::block) open_.own.block = small();
    if (field_ == Field::stage) open_.own.stage = small();
    if (field_ == Field::microbatch) open_.own.microbatch = small();
    if (field_ == Field::slice) open_.own.slice = small();
    if (field_ == Field::miniBatch) open_.own.iteration = small();
    if (field_ == Field::backwardStage) open_.own.backwardStage = small();
    if (field_ == Field::backwardMicrobatch) open_.own.backwardMicrobatch = small();
    if (field_ == Field::allocated) open_.allocatedBytes = given;
    if (field_ == Field::reserved) open_.reservedBytes = given;
    if (field_ == Field::deviceType) open_.deviceType = small();
    if (field_ == Field::deviceId) open_.deviceId = small();
    return true;
}

bool EventHandler::start(bool isArray) {
    if (depth_ == 0) {
        rootIsObject_ = !isArray;
        if (isArray) eventsDepth_ = 1, foundEvents_ = true;
    } else if (depth_ == 1 && rootIsObject_ && isArray && topField_ == "traceEvents") {
        eventsDepth_ = 2;
        foundEvents_ = true;
    } else if (capturing()) {
        capture(isArray ? json::array() : json::object());
    } else if (inEvent()) {
        inArguments_ = field_ == Field::arguments && !isArray;
    }
    if (++depth_ > deepest)
        throw InputError(file_.shown(), "", "the JSON is nested more than 64 deep", "a Trace Event file");
    if (inEvent() && !isArray) open_.clear();
    return true;
}

bool EventHandler::capture(json given) {
    if (++values_ > mostAbout)
        throw InputError(file_.shown(), "/" + topField_, "there is more beside the events than belongs there",
                         "a Trace Event file");
    const bool opens = given.is_structured();
    json* place = nullptr;
    if (depth_ == 1) {
        place = &(result_.about[topField_] = std::move(given));
    } else if (!captured_.empty() && captured_.back()->is_object()) {
        place = &((*captured_.back())[capturedField_] = std::move(given));
    } else if (!captured_.empty()) {
        captured_.back()->push_back(std::move(given));
        place = &captured_.back()->back();
    }
    if (opens && place) captured_.push_back(place);
    return true;
}

bool EventHandler::end() {
    --depth_;
    if (eventsDepth_ > 0 && depth_ < eventsDepth_)
        eventsDepth_ = 0;
    else if (!captured_.empty() && eventsDepth_ == 0 && depth_ >= 1)
        captured_.pop_back();
    return true;
}

bool EventHandler::end_object() {
    if (inEvent()) finishEvent();
    if (inArguments()) inArguments_ = false;
    return end();
}

void EventHandler::finishEvent() {
    if (++count_ % 16384 == 0) {
        context_.throwIfStopped();
        context_.report(from_ + (to_ - from_) * stream_.shareRead());
        if (count_ > mostEvents)
            throw InputError(file_.shown(), "", "there are more than 100,000,000 events", "fewer");
    }
    if (open_.phase == 'M') return finishMeta();
    if (open_.timeNs == noTime || open_.lengthNs < 0) {
        ++result_.leftOut;
        return;
    }
    if (open_.phase == 'X') return finishComplete(open_.timeNs, open_.lengthNs);
    if (open_.phase == 'B' || open_.phase == 'E') return beginOrEnd();
    if (open_.phase == 'i' && open_.own.block >= 0) return finishOwn(open_.timeNs, 0);
    if (open_.phase == 'i' && open_.name == "[memory]" && holdsGpuMemory()) {
        result_.memory.push_back({placeOf(std::to_string(open_.deviceId)), open_.timeNs, open_.allocatedBytes,
                                  std::max(0.0, open_.reservedBytes)});
        return;
    }
    if (open_.phase == 'C') {
        result_.counts.push_back({nameNumber(open_.name), open_.process, open_.timeNs, open_.sum});
        return;
    }
    if ((open_.phase == 's' || open_.phase == 'f') && open_.category == "dependency" &&
        !result_.blocks.empty()) {
        TraceBlock& block = result_.blocks.back();  // flows follow what they leave and what they lead to
        (open_.phase == 's' ? block.outputs : block.inputs).push_back(open_.id);
        return;
    }
    ++result_.leftOut;
}

void EventHandler::beginOrEnd() {
    std::vector<Begun>& stack = begun_[{open_.process, open_.thread}];
    if (open_.phase == 'B') {
        stack.push_back({nameNumber(open_.name), open_.timeNs});
        return;
    }
    if (stack.empty()) {
        ++result_.unended;
        return;
    }
    const Begun begun = stack.back();
    stack.pop_back();
    open_.name = result_.names[static_cast<std::size_t>(begun.name)];
    finishComplete(begun.atNs, std::max<std::int64_t>(0, open_.timeNs - begun.atNs));
}

void EventHandler::finishComplete(std::int64_t startNs, std::int64_t lengthNs) {
    if (open_.own.block >= 0) return finishOwn(startNs, lengthNs);
    const TraceEventKind* kind = kindOfCategory(open_.category);
    static constexpr TraceEventKind annotates = TraceEventKind::annotation;
    if (!kind && mayNamePass(open_.name)) kind = &annotates;
    const bool launchesNothing = kind && *kind == TraceEventKind::launch && open_.correlation < 0;
    if (!kind || launchesNothing) {
        // PyTorch's profiler without Kineto writes no category.
        const bool isOperator = open_.category == "cpu_op" || open_.category.empty();
        if (const bool receiving = receives(open_.name);
            isOperator && (receiving || !communicates(open_.name)))
            result_.operators.push_back({open_.process, open_.thread, startNs, receiving});
        ++result_.leftOut;
        return;
    }
    TraceEvent event{startNs, lengthNs, -1, 0, open_.process, open_.thread, -1, *kind};
    const bool annotation = *kind == TraceEventKind::annotation || *kind == TraceEventKind::gpuAnnotation;
    event.id = annotation ? open_.externalId : open_.correlation;
    if (*kind != TraceEventKind::launch) event.name = nameNumber(open_.name);
    result_.events.push_back(event);
}

void EventHandler::finishOwn(std::int64_t startNs, std::int64_t lengthNs) {
    open_.own.category = nameNumber(open_.category);
    if (!open_.label.empty()) open_.own.label = nameNumber(open_.label);
    TraceEvent event{startNs,
                     lengthNs,
                     -1,
                     nameNumber(open_.name),
                     open_.process,
                     open_.thread,
                     static_cast<std::int32_t>(result_.blocks.size()),
                     TraceEventKind::block};
    result_.events.push_back(event);
    result_.blocks.push_back(open_.own);
}

void EventHandler::finishMeta() {
    if (open_.name == "process_name") result_.processNames[open_.process] = open_.argumentName;
    if (open_.name == "thread_name") result_.threadNames[{open_.process, open_.thread}] = open_.argumentName;
}

TraceEvents EventHandler::take() {
    if (!foundEvents_) refuse();
    for (const auto& [place, stack] : begun_) result_.unended += stack.size();
    std::int64_t baseNs = 0;
    if (const auto base = result_.about.find("baseTimeNanoseconds");
        base != result_.about.end() && base->is_number() && std::abs(base->get<double>()) < 4e18)
        baseNs = base->is_number_float() ? std::llround(base->get<double>()) : base->get<std::int64_t>();
    for (TraceEvent& event : result_.events) event.startNs += baseNs;
    for (TraceCount& count : result_.counts) count.atNs += baseNs;
    for (TraceMemory& each : result_.memory) each.atNs += baseNs;
    for (TraceOperator& each : result_.operators) each.startNs += baseNs;
    std::ranges::sort(result_.operators);
    result_.tellCollectives();
    return std::move(result_);
}

}  // namespace

void TraceEvents::tellCollectives() {
    std::vector<CollectiveKind> kinds;
    kinds.reserve(names.size());
    for (const std::string& name : names) kinds.push_back(formats::collectiveOf(name));
    for (TraceEvent& event : events)
        if (event.kind == TraceEventKind::kernel && event.collective == CollectiveKind::none)
            event.collective = kinds[static_cast<std::size_t>(event.name)];
}

int TraceEvents::numberOf(std::int32_t place) const {
    if (place < 0 || static_cast<std::size_t>(place) >= places.size()) return -1;
    const auto number = wholeInteger(places[static_cast<std::size_t>(place)]);
    return number && *number >= 0 ? *number : -1;
}

TraceEvents readTraceEvents(const RecordingFile& file, const WorkContext& context, double from, double to) {
    RecordingStream stream(file);
    std::istream input(&stream);
    EventHandler handler(file, stream, context, from, to);
    json::sax_parse(input, &handler);
    stream.checkEnd();
    context.report(to);
    return handler.take();
}

}  // namespace stagecraft::formats
