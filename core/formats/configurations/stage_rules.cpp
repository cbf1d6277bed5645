#include "core/formats/configurations/stage_rules.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/text_parts.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>

namespace stagecraft::formats {

namespace {

constexpr std::size_t mostLayoutLetters = 1 << 16;

void addEnds(std::vector<StageContent>& stages, int predictions) {
    stages.front().embedding = true;
    stages.back().head = true;
    stages.back().predictions = predictions;
}

/// Takes "*n" off the front; 1 without it.
int timesAt(std::string_view& rest, const StageComplaint& complain) {
    if (!rest.starts_with('*')) return 1;
    int times = 0;
    const auto read = std::from_chars(rest.data() + 1, rest.data() + rest.size(), times);
    if (read.ec != std::errc{} || times < 0)
        complain("the layout has no number after '*'", "a number of repetitions, such as t*3");
    rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
    return times;
}

/// The layout with what is repeated written out.
std::string unrolledLayout(std::string_view rest, const StageComplaint& complain, bool isInside) {
    std::string letters;
    while (!rest.empty()) {
        std::string part(rest.substr(0, 1));
        rest.remove_prefix(1);
        if (part == "(") {
            const std::size_t end = rest.find(')');
            if (isInside || end == std::string_view::npos)
                complain("the layout's brackets do not match",
                         "one ')' for each '(', and none inside another");
            part = unrolledLayout(rest.substr(0, end), complain, true);
            rest.remove_prefix(end + 1);
        }
        const int times = timesAt(rest, complain);
        if (letters.size() + part.size() * static_cast<std::size_t>(times) > mostLayoutLetters)
            complain("the layout has more than 65,536 letters", "fewer layers");
        for (int i = 0; i < times; ++i) letters += part;
    }
    return letters;
}

void checkOrder(const std::string& letters, const StageComplaint& complain) {
    std::string layers = letters;
    std::erase(layers, '|');
    if (!layers.starts_with('E') || std::ranges::count(layers, 'E') != 1)
        complain("the layout does not begin with its one embedding", "E first, and nowhere else");
    if (!layers.ends_with('L') || std::ranges::count(layers, 'L') != 1)
        complain("the layout does not end with its one head with the loss", "L last, and nowhere else");
    if (const std::size_t first = layers.find('m');
        first != std::string::npos && layers.find('t', first) != std::string::npos)
        complain("the layout has blocks behind layers of multi-token prediction",
                 "every t before the first m");
}

}  // namespace

std::vector<StageContent> pipelineLayout(const std::string& text, const StageComplaint& complain) {
    std::string plain;
    for (const char letter : text)
        if (std::string_view(", '\"\t\n").find(letter) == std::string_view::npos) plain += letter;
    const std::string letters = unrolledLayout(plain, complain, false);
    if (const std::size_t wrong = letters.find_first_not_of("EtmL|"); wrong != std::string::npos)
        complain(
            "the layout has " + inQuotes(letters.substr(wrong, 1)),
            "E (embedding), t (block), m (multi-token prediction), L (head with loss), | between stages, "
            "and x*n or (…)*n");
    checkOrder(letters, complain);
    std::vector<StageContent> stages(1);
    for (const char letter : letters) {
        if (letter == '|') stages.emplace_back();
        stages.back().embedding = stages.back().embedding || letter == 'E';
        stages.back().blocks += letter == 't';
        stages.back().predictions += letter == 'm';
        stages.back().head = stages.back().head || letter == 'L';
    }
    for (std::size_t stage = 0; stage < stages.size(); ++stage)
        if (stages[stage].isEmpty())
            complain("stage " + std::to_string(stage) + " of the layout holds nothing, which is not modelled",
                     "at least one of E, t, m and L in each stage");
    return stages;
}

StageRule givenStages(std::vector<StageContent> stages, StageComplaint complain) {
    return [stages = std::move(stages), complain = std::move(complain)](int blocks, int predictions) {
        int ownBlocks = 0, ownPredictions = 0;
        for (const StageContent& stage : stages) {
            ownBlocks += stage.blocks;
            ownPredictions += stage.predictions;
        }
        if (ownBlocks != blocks)
            complain("the layout has " + counted(ownBlocks, "block"),
                     "as many as the model, " + std::to_string(blocks));
        if (ownPredictions != predictions)
            complain("the layout has " + counted(ownPredictions, "layer") + " of multi-token prediction",
                     "as many as are trained, " + std::to_string(predictions));
        return stages;
    };
}

int EvenStages::chunksFor(int blocks) const {
    if (blocksPerChunk == 0) return chunks;
    const int all = blocks + embeddingCounts + headCounts, each = all / ranks;
    if (all % ranks != 0 || each % blocksPerChunk != 0 || each == 0)
        complain(counted(all, "layer") + " on " + counted(ranks, "rank") + " do not come out in chunks of " +
                     std::to_string(blocksPerChunk),
                 "a number that divides the layers of a rank");
    if (ranks == 1 && each > blocksPerChunk)
        complain(counted(each / blocksPerChunk, "stage") + " on one rank, interleaved", "at least two ranks");
    return each / blocksPerChunk;
}

void EvenStages::checkGiven(int all) const {
    if (!first && !last) return;
    const bool areBoth = first && last;
    const long long own = 0LL + first.value_or(0) + last.value_or(0);
    if (areBoth && ranks == 1)
        complainGiven("the first rank is the last, and both are given", "at least two ranks");
    if (own > all)
        complainGiven(std::string(areBoth ? "first and last rank take "
                                  : first ? "the first rank takes "
                                          : "the last rank takes ") +
                          grouped(own) + " of " + counted(all, "block"),
                      "no more than there are");
    if (ranks == areBoth + 1 && own < all)
        complainGiven("the given blocks make " + grouped(own) + ", the model has " + std::to_string(all),
                      "as many as the model has");
}

std::vector<StageContent> EvenStages::operator()(int blocks, int predictions) const {
    const int parts = chunksFor(blocks);
    std::vector<int> ofRank(at(ranks));
    const int given = (first ? 1 : 0) + (last ? 1 : 0), others = ranks - given;
    checkGiven(blocks + embeddingCounts + headCounts);
    const int all = blocks + embeddingCounts + headCounts - first.value_or(0) - last.value_or(0);
    if (others > 0 && all % others != 0)
        complain(counted(all, "layer") + " cannot be dealt out to " + counted(others, "rank") +
                     (given > 0 ? " besides those that are given" : ""),
                 "a multiple of " + std::to_string(others));
    for (int rank = 0; rank < ranks; ++rank) {
        int& own = ofRank[at(rank)] = others > 0 ? all / others : 0;
        if (rank == ranks - 1 && last) own = *last;
        if (rank == 0 && first) own = *first;
        if (own % parts != 0)
            complain(counted(own, "layer") + " of rank " + std::to_string(rank) + " do not come out in " +
                         counted(parts, "chunk"),
                     "a multiple of " + std::to_string(parts));
    }
    std::vector<StageContent> stages;
    for (int chunk = 0; chunk < parts; ++chunk)
        for (int rank = 0; rank < ranks; ++rank) stages.push_back({.blocks = ofRank[at(rank)] / parts});
    stages.front().blocks -= embeddingCounts;
    stages.back().blocks -= headCounts;
    addEnds(stages, predictions);
    for (const StageContent& stage : stages)
        if (stage.blocks < 0 || stage.isEmpty())
            complain(counted(blocks, "block") + " do not suffice for " + counted(std::ssize(stages), "stage"),
                     "a block for each stage");
    return stages;
}

std::vector<StageContent> WeightedStages::operator()(int blocks, int predictions) const {
    const int all = blocks + embeddingWeight + headWeight;
    if (stages > all)
        complain(counted(stages, "stage") + " for " + counted(blocks, "block"),
                 "at most as many as blocks, embedding and head together");
    const int each = all / stages, longer = all % stages;
    if (stages > 1 && (each < embeddingWeight || each < headWeight))
        complain("the embedding or the head weighs more than the " + counted(each, "layer") + " of a stage",
                 "fewer stages");
    std::vector<StageContent> made;
    for (int stage = 0; stage < stages; ++stage) made.push_back({.blocks = each + (stage < longer)});
    made.front().blocks -= embeddingWeight;
    made.back().blocks -= headWeight;
    addEnds(made, predictions);
    for (const StageContent& stage : made)
        if (stage.blocks < 0 || stage.isEmpty())
            complain(counted(blocks, "block") + " do not suffice for " + counted(stages, "stage"),
                     "fewer stages");
    return made;
}

std::vector<int> balancedBounds(const std::vector<int>& weights, int parts) {
    struct Best {
        int most = 0, least = std::numeric_limits<int>::max(), begin = -1;  ///< begin: of the last part
    };
    const int layers = static_cast<int>(weights.size());
    std::vector<int> sums(at(layers + 1));
    std::partial_sum(weights.begin(), weights.end(), sums.begin() + 1);
    std::vector<std::vector<Best>> best(at(parts + 1), std::vector<Best>(at(layers + 1)));
    for (int part = 1; part <= parts; ++part)
        for (int end = part; end <= layers; ++end) {
            Best& own = best[at(part)][at(end)];
            for (int begin = part - 1; begin < end; ++begin) {
                const Best& before = best[at(part - 1)][at(begin)];
                if (part == 1 ? begin > 0 : before.begin < 0) continue;
                const int last = sums[at(end)] - sums[at(begin)];
                const int most = std::max(before.most, last), least = std::min(before.least, last);
                if (own.begin < 0 || most - least <= own.most - own.least) own = {most, least, begin};
            }
        }
    std::vector<int> bounds{layers};
    for (int part = parts; part > 0; --part) bounds.push_back(best[at(part)][at(bounds.back())].begin);
    std::ranges::reverse(bounds);
    return bounds;
}

std::vector<StageContent> MatchedStages::operator()(int blocks, int predictions) const {
    const int inner = blocks + predictions, layers = inner + 2;
    constexpr long long mostSteps = 1LL << 30;
    if (stages >= layers)
        complain(counted(stages, "stage") + " for " + counted(layers, "layer"), "fewer stages than layers");
    if (!matchesEmbedding && !matchesBlocks)
        complain("no layer's class matches",
                 "EmbeddingPipe or ParallelTransformerLayerPipe, or a part of it");
    if (1LL * layers * layers * stages > mostSteps)
        complain(counted(layers, "layer") + " on " + counted(stages, "stage") + " are too many to balance",
                 "fewer layers");
    std::vector<int> weights(at(layers), matchesBlocks);
    weights.front() = weights.back() = matchesEmbedding;
    const std::vector<int> bounds = balancedBounds(weights, stages);
    std::vector<StageContent> made;
    for (int stage = 0; stage < stages; ++stage) {
        const auto among = [begin = bounds[at(stage)], end = bounds[at(stage + 1)]](int first, int last) {
            return std::max(0, std::min(end, last) - std::max(begin, first));
        };
        made.push_back({.embedding = among(0, 1) > 0,
                        .blocks = among(1, blocks + 1),
                        .predictions = among(blocks + 1, layers - 1),
                        .head = among(layers - 1, layers) > 0});
    }
    return made;
}

}  // namespace stagecraft::formats
