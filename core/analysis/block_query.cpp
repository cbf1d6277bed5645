#include "core/analysis/block_query.h"

#include "core/base/quantity.h"
#include "core/base/query_text.h"
#include "core/base/spelling.h"
#include "core/base/text_parts.h"
#include "core/model/stage_chunks.h"

#include <algorithm>
#include <functional>

namespace stagecraft::analysis {

BlockQuery::BlockQuery(const std::string& text, const Cluster& cluster, const Plan& plan,
                       const Timeline& timeline)
    : asked_(readBlockQuery(text, cluster, plan, timeline)) {}

/// A pair is found as itself, and by either of its passes.
bool BlockQuery::doesWhatIsAsked(const Timeline& timeline, std::uint32_t block) const {
    bool does = false;
    const bool isOfKind = asked_.kinds[static_cast<std::size_t>(timeline.kind[block])];
    timeline.eachPass(block, [&](const Pass& pass) {
        does = does || ((isOfKind || asked_.kinds[static_cast<std::size_t>(pass.kind)]) &&
                        asked_.stages[static_cast<std::size_t>(pass.stage + 1)] &&
                        asked_.microbatches[static_cast<std::size_t>(pass.microbatch + 1)] &&
                        asked_.slices[pass.microbatch < 0 ? 0 : static_cast<std::size_t>(pass.slice + 1)]);
    });
    return does;
}

bool BlockQuery::holds(const Timeline& timeline, std::uint32_t block, std::size_t lane) const {
    if (!doesWhatIsAsked(timeline, block)) return false;
    if (!asked_.iterations[static_cast<std::size_t>(timeline.iteration[block] + 1)]) return false;
    const double lasts = timeline.durationS(block);
    if (!(lasts > asked_.longerS && lasts < asked_.shorterS)) return false;
    if (timeline.startS[block] < asked_.afterS || timeline.endS[block] > asked_.beforeS) return false;
    return std::all_of(asked_.words.begin(), asked_.words.end(), [&](const BlockConditions::Word& word) {
        const int label = timeline.label.empty() ? -1 : timeline.label[block];
        const bool said = word.kinds[static_cast<std::size_t>(timeline.kind[block])] || word.lanes[lane] ||
                          (label >= 0 && word.labels[static_cast<std::size_t>(label)]);
        return said != word.negated;
    });
}

std::vector<std::uint32_t> BlockQuery::find(const Timeline& timeline,
                                            std::span<const std::uint32_t> criticalPath) const {
    std::vector<std::uint32_t> found;
    if (asked_.empty) return found;
    std::vector<bool> critical;
    if (asked_.critical != BlockConditions::Wanted::either) {
        critical.resize(timeline.blockCount());
        for (const std::uint32_t block : criticalPath) critical[block] = true;
    }
    for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane) {
        if (!asked_.lanes[lane]) continue;
        for (std::uint32_t b = timeline.lanes[lane].firstBlock; b < timeline.lanes[lane].endBlock; ++b) {
            if (!critical.empty() && critical[b] != (asked_.critical == BlockConditions::Wanted::yes))
                continue;
            if (holds(timeline, b, lane)) found.push_back(b);
        }
    }
    std::sort(found.begin(), found.end(), [&timeline](std::uint32_t a, std::uint32_t b) {
        return timeline.startS[a] != timeline.startS[b] ? timeline.startS[a] < timeline.startS[b] : a < b;
    });
    return found;
}

std::span<const BlockQueryTerm> blockQueryTerms() {
    static const BlockQueryTerm terms[] = {
        {"stage:2", "blocks of a stage; transfers belong to the stage that sends"},
        {"chunk:1", "blocks of each device's second stage; copy:1: of the second copy of the network"},
        {"kind:backward", "by kind; a prefix is enough, compute and communication are groups"},
        {"mb:3..5", "microbatches; 3.. and ..5 are open"},
        {"slice:1", "parts of sequences, where a schedule cuts them"},
        {"batch:0", "mini-batches"},
        {"layer:7", "blocks of the stages that hold the layer"},
        {"device:s0g*", "lanes of a device; * matches anything"},
        {"server:s0", "lanes of a server's devices"},
        {"longer:5ms", "what takes longer, or shorter:"},
        {"after:10ms", "what starts no earlier; before: what ends no later"},
        {"critical", "blocks on the critical path"},
        {"stage:0,2", "one of several values"},
        {"-kind:transfer", "not what the term says"},
        {"reduce", "a word: of a kind, a device, its server or its type"},
    };
    return terms;
}

namespace {

using Wanted = BlockConditions::Wanted;

enum class Key {
    stage,
    chunk,
    copy,
    kind,
    microbatch,
    slice,
    iteration,
    layer,
    device,
    server,
    longer,
    shorter,
    after,
    before
};

struct KeyName {
    const char* name;
    Key key;
};
/// The first name of each key is the one that messages use.
constexpr KeyName keyNames[] = {{"stage", Key::stage},
                                {"chunk", Key::chunk},
                                {"copy", Key::copy},
                                {"kind", Key::kind},
                                {"mb", Key::microbatch},
                                {"slice", Key::slice},
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

/// What devices do, not links.
bool isComputeKind(std::size_t kind) {
    const PassRole role = passKinds[kind].role;
    return role == PassRole::computes || role == PassRole::updates;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
std::string lowered(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), lower);
    return text;
}

bool says(const std::string& text, const std::string& word) {
    return lowered(text).find(word) != std::string::npos;
}

/// "stage 0 alone", "stages 0 to 3".
std::string numbersUpTo(const std::string& what, int count) {
    return count == 1 ? what + " 0 alone"
                      : what + (what.ends_with('h') ? "es" : "s") + " 0 to " + std::to_string(count - 1);
}

/// The first and the last of `count` numbers that `part` names.
std::pair<int, int> rangeOf(const QueryPart& part, const std::string& what, int count) {
    const auto [first, last] = queryRange(part, what);
    if (first.value_or(0) >= count)
        throw QueryMistake(
            part, count > 0 ? "the plan has " + numbersUpTo(what, count) : "the plan has no " + what);
    return {first.value_or(0), std::min(last.value_or(count - 1), count - 1)};
}

/// Reads the terms of a search into what they allow.
class BlockQueryReader {
public:
    BlockQueryReader(const Cluster& cluster, const Plan& plan, const Timeline& timeline);
    BlockConditions read(const std::string& text);

private:
    void readKey(const QueryTerm& term);
    void readWord(const QueryPart& word);
    /// Allows the numbers of `value` in `allowed`, whose entry 0 is for blocks without one.
    void readNumbers(const QueryPart& value, const std::string& what, std::vector<bool>& allowed) const;
    /// Allows stages by a number that each of them has.
    void readOfStages(const QueryPart& value, const std::string& what, const std::vector<int>& numberOf);
    void readKinds(const QueryPart& value);
    void readLayers(const QueryPart& value);
    /// Lanes of devices for which `nameOf` answers with what `value` says.
    void readNames(const QueryPart& value, const std::string& what,
                   const std::function<const std::string&(const Device&)>& nameOf);
    void readTime(const QueryTerm& term, Key key);
    void allow(std::vector<bool>& allowed, const std::vector<bool>& named) const;

    const Cluster& cluster_;
    const Plan& plan_;
    const Timeline& timeline_;
    BlockConditions asked_;
    bool negated_ = false;  ///< the term that is being read
};

BlockQueryReader::BlockQueryReader(const Cluster& cluster, const Plan& plan, const Timeline& timeline)
    : cluster_(cluster), plan_(plan), timeline_(timeline) {
    const auto sizeFor = [](const std::vector<std::int32_t>& column) {
        return static_cast<std::size_t>(
            std::max(column.empty() ? -1 : *std::max_element(column.begin(), column.end()), -1) + 2);
    };
    asked_.kinds.fill(true);
    asked_.lanes.assign(timeline.lanes.size(), true);
    asked_.stages.assign(std::max(plan.stages.size() + 1, sizeFor(timeline.stage)), true);
    asked_.microbatches.assign(sizeFor(timeline.microbatch), true);
    asked_.slices.assign(std::max<std::size_t>(2, sizeFor(timeline.slice)), true);
    asked_.iterations.assign(sizeFor(timeline.iteration), true);
}

BlockConditions BlockQueryReader::read(const std::string& text) {
    constexpr std::string_view signs[] = {":"};
    for (const QueryTerm& term : queryTerms(text, {signs, true})) {
        if (term.unclosed) throw QueryMistake(term.whole, "unterminated quotation mark");
        negated_ = term.negated;
        term.sign.empty() ? readWord(term.whole) : readKey(term);
        asked_.empty = false;
    }
    return std::move(asked_);
}

void BlockQueryReader::readKey(const QueryTerm& term) {
    const std::string name = lowered(term.name.text());
    const auto found = std::find_if(std::begin(keyNames), std::end(keyNames),
                                    [&name](const KeyName& it) { return name == it.name; });
    if (found == std::end(keyNames)) {
        std::vector<std::string> names;
        for (const KeyName& it : keyNames)
            if (names.size() <= static_cast<std::size_t>(Key::before)) names.emplace_back(it.name);
        throw QueryMistake(term.name, "'" + term.name.text() + ":' is not known" + spellingHint(name, names) +
                                          "; there are " + joinNames(names));
    }
    switch (found->key) {
        case Key::stage:
            return readNumbers(term.value, "stage", asked_.stages);
        case Key::chunk:
            return readOfStages(term.value, "chunk", chunksOf(plan_.stages));
        case Key::copy:
            return readOfStages(term.value, "copy", copiesOf(plan_.stages));
        case Key::microbatch:
            return readNumbers(term.value, "microbatch", asked_.microbatches);
        case Key::slice:
            return readNumbers(term.value, "slice", asked_.slices);
        case Key::iteration:
            return readNumbers(term.value, "mini-batch", asked_.iterations);
        case Key::kind:
            return readKinds(term.value);
        case Key::layer:
            return readLayers(term.value);
        case Key::device:
            return readNames(term.value, "device",
                             [](const Device& it) -> const std::string& { return it.id; });
        case Key::server:
            return readNames(term.value, "server",
                             [](const Device& it) -> const std::string& { return it.server; });
        default:
            return readTime(term, found->key);
    }
}

void BlockQueryReader::readTime(const QueryTerm& term, Key key) {
    if (negated_)
        throw QueryMistake(term.name, "'-' cannot precede '" + term.name.text() +
                                          ":'; write the comparison the other way round");
    const std::string text = term.value.text();
    if (text.empty()) throw QueryMistake(term.value.from, 1, "here a time is missing, such as 5ms");
    double seconds = 0;
    try {
        seconds = parseQuantity(Quantity::seconds, text);
    } catch (const std::invalid_argument&) {
        throw QueryMistake(term.value,
                           "'" + text + "' is not a time; write it with its unit, such as 5ms or 20us");
    }
    if (key == Key::longer) asked_.longerS = std::max(asked_.longerS, seconds);
    if (key == Key::shorter) asked_.shorterS = std::min(asked_.shorterS, seconds);
    if (key == Key::after) asked_.afterS = std::max(asked_.afterS, seconds);
    if (key == Key::before) asked_.beforeS = std::min(asked_.beforeS, seconds);
}

void BlockQueryReader::readWord(const QueryPart& word) {
    const std::string text = lowered(word.text());
    if (text.empty()) throw QueryMistake(word, "there is nothing between the quotation marks");
    if (text == "critical" && !word.isQuoted()) {
        const auto wanted = negated_ ? Wanted::no : Wanted::yes;
        if (asked_.critical != Wanted::either && asked_.critical != wanted)
            throw QueryMistake(word, "no block is critical and not critical");
        asked_.critical = wanted;
        return;
    }
    BlockConditions::Word said;
    said.negated = negated_;
    for (std::size_t kind = 0; kind < blockKindCount; ++kind)
        said.kinds[kind] = says(blockKindName(static_cast<BlockKind>(kind)), text) ||
                           (static_cast<BlockKind>(kind) == BlockKind::inputGradient &&
                            says(blockKindName(BlockKind::backward), text));
    for (const Lane& lane : timeline_.lanes)
        said.lanes.push_back(std::any_of(lane.devices.begin(), lane.devices.end(), [&](int device) {
            const Device& it = cluster_.devices[static_cast<std::size_t>(device)];
            return says(it.id, text) || says(it.server, text) || says(it.gpu, text);
        }));
    for (const std::string& label : timeline_.labels) said.labels.push_back(says(label, text));
    asked_.words.push_back(std::move(said));
}

void BlockQueryReader::allow(std::vector<bool>& allowed, const std::vector<bool>& named) const {
    for (std::size_t i = 0; i < allowed.size(); ++i) allowed[i] = allowed[i] && named[i] != negated_;
}

void BlockQueryReader::readNumbers(const QueryPart& value, const std::string& what,
                                   std::vector<bool>& allowed) const {
    std::vector<bool> named(allowed.size());
    for (const QueryPart& part : queryValues(value, "the number of a " + what)) {
        const auto [first, last] = rangeOf(part, what, static_cast<int>(allowed.size()) - 1);
        std::fill(named.begin() + first + 1, named.begin() + last + 2, true);
    }
    allow(allowed, named);
}

void BlockQueryReader::readOfStages(const QueryPart& value, const std::string& what,
                                    const std::vector<int>& numberOf) {
    const int most = numberOf.empty() ? -1 : *std::max_element(numberOf.begin(), numberOf.end());
    std::vector<bool> named(asked_.stages.size());
    for (const QueryPart& part : queryValues(value, "the number of a " + what)) {
        const auto [first, last] = rangeOf(part, what, most + 1);
        for (std::size_t s = 0; s < numberOf.size(); ++s)
            if (numberOf[s] >= first && numberOf[s] <= last) named[s + 1] = true;
    }
    allow(asked_.stages, named);
}

void BlockQueryReader::readLayers(const QueryPart& value) {
    int layers = 0;
    for (const Stage& stage : plan_.stages) layers = std::max(layers, stage.lastLayer + 1);
    std::vector<bool> named(asked_.stages.size());
    for (const QueryPart& part : queryValues(value, "the number of a layer")) {
        const auto [first, last] = rangeOf(part, "layer", layers);
        for (std::size_t s = 0; s < plan_.stages.size(); ++s)
            if (plan_.stages[s].firstLayer <= last && plan_.stages[s].lastLayer >= first) named[s + 1] = true;
    }
    allow(asked_.stages, named);
}

void BlockQueryReader::readKinds(const QueryPart& value) {
    std::array<bool, blockKindCount> named{};
    for (const QueryPart& part : queryValues(value, "a kind of block")) {
        const std::string wanted = lettersAndDigits(part.text());
        bool any = false;
        std::vector<std::string> names{"compute", "communication"};
        for (std::size_t kind = 0; kind < blockKindCount; ++kind) {
            names.emplace_back(blockKindName(static_cast<BlockKind>(kind)));
            const bool fit = wanted == "compute" ? isComputeKind(kind)
                             : wanted == "communication"
                                 ? !isComputeKind(kind)
                                 : lettersAndDigits(names.back()).starts_with(wanted) ||
                                       // Who asks for backwards means those that are split, too.
                                       (static_cast<BlockKind>(kind) == BlockKind::inputGradient &&
                                        std::string_view("backward").starts_with(wanted));
            if (fit && !wanted.empty()) named[kind] = any = true;
        }
        if (!any)
            throw QueryMistake(part, "'" + part.text() + "' is not a kind of block" +
                                         spellingHint(lowered(part.text()), names) + "; there are " +
                                         joinNames(names));
    }
    for (std::size_t kind = 0; kind < blockKindCount; ++kind)
        asked_.kinds[kind] = asked_.kinds[kind] && named[kind] != negated_;
}

void BlockQueryReader::readNames(const QueryPart& value, const std::string& what,
                                 const std::function<const std::string&(const Device&)>& nameOf) {
    std::vector<bool> devices(cluster_.devices.size());
    for (const QueryPart& part : queryValues(value, "the name of a " + what)) {
        const std::string wanted = part.text();
        bool any = false;
        for (std::size_t i = 0; i < devices.size(); ++i)
            if (matchesWildcards(wanted, nameOf(cluster_.devices[i]))) devices[i] = any = true;
        if (any) continue;
        std::vector<std::string> names;
        for (const Device& device : cluster_.devices)
            if (names.empty() || names.back() != nameOf(device)) names.push_back(nameOf(device));
        throw QueryMistake(part, "no " + what + " '" + wanted + "'" + spellingHint(wanted, names));
    }
    std::vector<bool> named;
    for (const Lane& lane : timeline_.lanes)
        named.push_back(std::any_of(lane.devices.begin(), lane.devices.end(), [&devices](int device) {
            return devices[static_cast<std::size_t>(device)];
        }));
    allow(asked_.lanes, named);
}

}  // namespace

BlockConditions readBlockQuery(const std::string& text, const Cluster& cluster, const Plan& plan,
                               const Timeline& timeline) {
    return BlockQueryReader(cluster, plan, timeline).read(text);
}

}  // namespace stagecraft::analysis
