#include "core/analysis/block_query_reader.h"

#include "core/base/quantity.h"
#include "core/base/spelling.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace stagecraft {

namespace {

enum class Key { stage, kind, microbatch, iteration, layer, device, server, longer, shorter, after, before };

struct KeyName {
    const char* name;
    Key key;
};
/// The first name of each key is the one that messages use.
constexpr KeyName keyNames[] = {{"stage", Key::stage},
                                {"kind", Key::kind},
                                {"mb", Key::microbatch},
                                {"batch", Key::iteration},
                                {"layer", Key::layer},
                                {"device", Key::device},
                                {"server", Key::server},
                                {"longer", Key::longer},
                                {"shorter", Key::shorter},
                                {"after", Key::after},
                                {"before", Key::before},
                                {"s", Key::stage},
                                {"k", Key::kind},
                                {"microbatch", Key::microbatch},
                                {"iteration", Key::iteration},
                                {"minibatch", Key::iteration},
                                {"gpu", Key::device}};

constexpr bool isComputeKind[] = {true, true, true, true, false, false, false, false, false, true};
static_assert(std::size(isComputeKind) == blockKindCount);

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string lowered(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), lower);
    return text;
}

/// "transfer-forward" and "Transfer forward" are one.
std::string plain(const std::string& text) {
    std::string letters;
    for (const char c : lowered(text))
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) letters += c;
    return letters;
}

/// Whether `pattern`, in which * stands for any text, is all of `name`.
bool fits(std::string_view pattern, std::string_view name) {
    if (pattern.empty()) return name.empty();
    if (pattern.front() == '*') {
        for (std::size_t skipped = 0; skipped <= name.size(); ++skipped)
            if (fits(pattern.substr(1), name.substr(skipped))) return true;
        return false;
    }
    return !name.empty() && lower(pattern.front()) == lower(name.front()) &&
           fits(pattern.substr(1), name.substr(1));
}

bool says(const std::string& text, const std::string& word) {
    return lowered(text).find(word) != std::string::npos;
}

/// "stage 0 alone", "stages 0 to 3".
std::string numbersUpTo(const std::string& what, int count) {
    return count == 1 ? what + " 0 alone"
                      : what + (what.ends_with('h') ? "es" : "s") + " 0 to " + std::to_string(count - 1);
}

}  // namespace

void QueryReader::fail(const Part& part, const std::string& message) {
    throw QueryMistake(part.from, part.text.size(), message);
}

QueryReader::Part QueryReader::nextTerm() {
    while (at_ < text_.size() && isBlank(text_[at_])) ++at_;
    Part term{at_, {}};
    bool quoted = false;
    for (; at_ < text_.size() && (quoted || !isBlank(text_[at_])); ++at_) {
        if (text_[at_] == '"') quoted = !quoted;
        term.text += text_[at_];
    }
    if (quoted) fail(term, "the quotation mark has no end");
    return term;
}

void QueryReader::read() {
    for (Part term = nextTerm(); !term.text.empty(); term = nextTerm()) readTerm(std::move(term));
}

void QueryReader::readTerm(Part term) {
    negated_ = term.text.front() == '-' || term.text.front() == '!';
    if (negated_) {
        term.text.erase(0, 1);
        ++term.from;
        if (term.text.empty()) fail({term.from - 1, "-"}, "'-' must be followed by the term to negate");
    }
    const std::size_t colon = term.text.find(':');
    if (term.text.front() == '"' || colon == std::string::npos)
        readWord(term);
    else
        readKey({term.from, term.text.substr(0, colon)},
                {term.from + colon + 1, term.text.substr(colon + 1)});
    query_.empty_ = false;
}

void QueryReader::readKey(const Part& key, const Part& value) {
    const std::string name = lowered(key.text);
    const auto found = std::find_if(std::begin(keyNames), std::end(keyNames),
                                    [&name](const KeyName& it) { return name == it.name; });
    if (found == std::end(keyNames)) {
        std::vector<std::string> names;
        for (const KeyName& it : keyNames)
            if (names.size() <= static_cast<std::size_t>(Key::before)) names.emplace_back(it.name);
        fail(key, "'" + key.text + ":' is not known" + spellingHint(name, names) + "; there are " +
                      joinNames(names));
    }
    switch (found->key) {
        case Key::stage:
            return readNumbers(value, "stage", query_.stages_);
        case Key::microbatch:
            return readNumbers(value, "microbatch", query_.microbatches_);
        case Key::iteration:
            return readNumbers(value, "mini-batch", query_.iterations_);
        case Key::kind:
            return readKinds(value);
        case Key::layer:
            return readLayers(value);
        case Key::device:
            return readNames(value, "device", [](const Device& it) -> const std::string& { return it.id; });
        case Key::server:
            return readNames(value, "server",
                             [](const Device& it) -> const std::string& { return it.server; });
        default:
            break;
    }
    if (negated_) fail(key, "'-' cannot precede '" + key.text + ":'; turn the comparison round");
    const double seconds = readSeconds(value);
    if (found->key == Key::longer) query_.longerS_ = std::max(query_.longerS_, seconds);
    if (found->key == Key::shorter) query_.shorterS_ = std::min(query_.shorterS_, seconds);
    if (found->key == Key::after) query_.afterS_ = std::max(query_.afterS_, seconds);
    if (found->key == Key::before) query_.beforeS_ = std::min(query_.beforeS_, seconds);
}

void QueryReader::readWord(const Part& word) {
    std::string text = lowered(word.text);
    std::erase(text, '"');
    if (text.empty()) fail(word, "there is nothing between the quotation marks");
    if (text == "critical" && word.text.front() != '"') {
        const auto wanted = negated_ ? BlockQuery::Wanted::no : BlockQuery::Wanted::yes;
        if (query_.critical_ != BlockQuery::Wanted::either && query_.critical_ != wanted)
            fail(word, "no block is critical and not critical");
        query_.critical_ = wanted;
        return;
    }
    BlockQuery::Word said;
    said.negated = negated_;
    for (std::size_t kind = 0; kind < blockKindCount; ++kind)
        said.kinds[kind] = says(blockKindName(static_cast<BlockKind>(kind)), text);
    for (const Lane& lane : timeline_.lanes)
        said.lanes.push_back(std::any_of(lane.devices.begin(), lane.devices.end(), [&](int device) {
            const Device& it = cluster_.devices[static_cast<std::size_t>(device)];
            return says(it.id, text) || says(it.server, text) || says(it.gpu, text);
        }));
    query_.words_.push_back(std::move(said));
}

std::vector<QueryReader::Part> QueryReader::values(const Part& value, const std::string& expected) const {
    std::vector<Part> parts;
    Part part{value.from, {}};
    bool quoted = false;
    for (std::size_t i = 0; i <= value.text.size(); ++i) {
        const char c = i < value.text.size() ? value.text[i] : ',';
        if (c == '"') {
            quoted = !quoted;
        } else if (c != ',' || (quoted && i < value.text.size())) {
            part.text += c;
        } else {
            if (part.text.empty())  // the place where something is missing
                throw QueryMistake(value.from + i, 1, "here " + expected + " is missing");
            parts.push_back(std::move(part));
            part = {value.from + i + 1, {}};
        }
    }
    return parts;
}

int QueryReader::readNumber(const Part& part, const std::string& what) const {
    int number = 0;
    const char* end = part.text.data() + part.text.size();
    const auto [read, error] = std::from_chars(part.text.data(), end, number);
    if (error != std::errc{} || read != end || number < 0)
        fail(part, "'" + part.text + "' is no number of a " + what + "; write 3, 3..5, 3.. or 1,4");
    return number;
}

std::pair<int, int> QueryReader::readRange(const Part& part, const std::string& what, int count) const {
    const std::size_t dots = part.text.find("..");
    int first = 0, last = count - 1;
    if (dots == std::string::npos) {
        first = last = readNumber(part, what);
    } else {
        const Part from{part.from, part.text.substr(0, dots)};
        const Part to{part.from + dots + 2, part.text.substr(dots + 2)};
        if (from.text.empty() && to.text.empty()) fail(part, "the range has neither a begin nor an end");
        if (!from.text.empty()) first = readNumber(from, what);
        if (!to.text.empty()) last = readNumber(to, what);
        if (first > last && !to.text.empty()) fail(part, "the range ends before it begins");
    }
    if (first >= count)
        fail(part, count > 0 ? "the plan has " + numbersUpTo(what, count) : "the plan has no " + what);
    return {first, std::min(last, count - 1)};
}

void QueryReader::allow(std::vector<bool>& allowed, const std::vector<bool>& named) const {
    for (std::size_t i = 0; i < allowed.size(); ++i) allowed[i] = allowed[i] && named[i] != negated_;
}

void QueryReader::readNumbers(const Part& value, const std::string& what, std::vector<bool>& allowed) const {
    std::vector<bool> named(allowed.size());
    for (const Part& part : values(value, "the number of a " + what)) {
        const auto [first, last] = readRange(part, what, static_cast<int>(allowed.size()) - 1);
        std::fill(named.begin() + first + 1, named.begin() + last + 2, true);
    }
    allow(allowed, named);
}

void QueryReader::readLayers(const Part& value) {
    int layers = 0;
    for (const Stage& stage : plan_.stages) layers = std::max(layers, stage.lastLayer + 1);
    std::vector<bool> named(query_.stages_.size());
    for (const Part& part : values(value, "the number of a layer")) {
        const auto [first, last] = readRange(part, "layer", layers);
        for (std::size_t s = 0; s < plan_.stages.size(); ++s)
            if (plan_.stages[s].firstLayer <= last && plan_.stages[s].lastLayer >= first) named[s + 1] = true;
    }
    allow(query_.stages_, named);
}

void QueryReader::readKinds(const Part& value) {
    std::array<bool, blockKindCount> named{};
    for (const Part& part : values(value, "a kind of block")) {
        const std::string wanted = plain(part.text);
        bool any = false;
        std::vector<std::string> names{"compute", "communication"};
        for (std::size_t kind = 0; kind < blockKindCount; ++kind) {
            names.emplace_back(blockKindName(static_cast<BlockKind>(kind)));
            const bool fit = wanted == "compute"         ? isComputeKind[kind]
                             : wanted == "communication" ? !isComputeKind[kind]
                                                         : plain(names.back()).starts_with(wanted);
            named[kind] = named[kind] || (fit && !wanted.empty());
            any = any || named[kind];
        }
        if (!any)
            fail(part, "'" + part.text + "' is no kind of block" + spellingHint(lowered(part.text), names) +
                           "; there are " + joinNames(names));
    }
    for (std::size_t kind = 0; kind < blockKindCount; ++kind)
        query_.kinds_[kind] = query_.kinds_[kind] && named[kind] != negated_;
}

void QueryReader::readNames(const Part& value, const std::string& what,
                            const std::function<const std::string&(const Device&)>& nameOf) {
    std::vector<bool> devices(cluster_.devices.size());
    for (const Part& part : values(value, "the name of a " + what)) {
        bool any = false;
        for (std::size_t i = 0; i < devices.size(); ++i)
            if (fits(part.text, nameOf(cluster_.devices[i]))) devices[i] = any = true;
        if (any) continue;
        std::vector<std::string> names;
        for (const Device& device : cluster_.devices)
            if (names.empty() || names.back() != nameOf(device)) names.push_back(nameOf(device));
        fail(part, "there is no " + what + " '" + part.text + "'" + spellingHint(part.text, names));
    }
    std::vector<bool> named;
    for (const Lane& lane : timeline_.lanes)
        named.push_back(std::any_of(lane.devices.begin(), lane.devices.end(), [&devices](int device) {
            return devices[static_cast<std::size_t>(device)];
        }));
    allow(query_.lanes_, named);
}

double QueryReader::readSeconds(const Part& value) const {
    if (value.text.empty()) throw QueryMistake(value.from, 1, "here a time is missing, such as 5ms");
    try {
        return parseQuantity(Quantity::seconds, value.text);
    } catch (const std::invalid_argument&) {
        fail(value, "'" + value.text + "' is no time; write it with its unit, such as 5ms or 20us");
    }
}

BlockQuery::BlockQuery(const std::string& text, const Cluster& cluster, const Plan& plan,
                       const Timeline& timeline)
    : lanes_(timeline.lanes.size(), true),
      shorterS_(std::numeric_limits<double>::infinity()),
      afterS_(-shorterS_),
      beforeS_(shorterS_) {
    kinds_.fill(true);
    const auto sizeFor = [](const std::vector<std::int32_t>& column) {
        return static_cast<std::size_t>(
            std::max(column.empty() ? -1 : *std::max_element(column.begin(), column.end()), -1) + 2);
    };
    stages_.assign(std::max(plan.stages.size() + 1, sizeFor(timeline.stage)), true);
    microbatches_.assign(sizeFor(timeline.microbatch), true);
    iterations_.assign(sizeFor(timeline.iteration), true);
    QueryReader(*this, text, cluster, plan, timeline).read();
}

}  // namespace stagecraft
