#include "core/formats/configurations/speed_partition.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/formats/input_error.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace stagecraft::formats {

namespace {

/// Bounds by weights, or a complaint of what is too much.
std::vector<StageContent> balancedStages(const std::vector<double>& weights, int stages, int blocks,
                                         int predictions, const StageComplaint& complain) {
    constexpr long long mostSteps = 1LL << 30;
    const int layers = static_cast<int>(weights.size());
    if (stages > layers)
        complain(counted(stages, "stage") + " for " + counted(layers, "layer"), "no more stages than layers");
    if (1LL * layers * layers * stages > mostSteps)
        complain(counted(layers, "layer") + " on " + counted(stages, "stage") + " are too many to balance",
                 "fewer layers");
    return contentsBetween(balancedBounds(weights, stages), blocks, predictions);
}

}  // namespace

std::vector<int> uniformBounds(int layers, int parts) {
    const int each = layers / parts, longer = layers % parts;
    std::vector<int> bounds{0};
    for (int part = 0; part < parts; ++part) bounds.push_back(bounds.back() + each + (part < longer));
    return bounds;
}

std::vector<int> balancedBounds(const std::vector<double>& weights, int parts) {
    struct Best {
        double most = 0, least = std::numeric_limits<double>::infinity();
        int begin = -1;  ///< of the last part
    };
    const int layers = static_cast<int>(weights.size());
    if (layers == parts) return uniformBounds(layers, parts);
    std::vector<double> sums(at(layers + 1));
    std::partial_sum(weights.begin(), weights.end(), sums.begin() + 1);
    std::vector<std::vector<Best>> best(at(parts + 1), std::vector<Best>(at(layers + 1)));
    for (int part = 1; part <= parts; ++part)
        for (int end = part; end <= layers; ++end) {
            Best& own = best[at(part)][at(end)];
            for (int begin = part - 1; begin < end; ++begin) {
                const Best& before = best[at(part - 1)][at(begin)];
                if (part == 1 ? begin > 0 : before.begin < 0) continue;
                const double last = sums[at(end)] - sums[at(begin)];
                const double most = std::max(before.most, last), least = std::min(before.least, last);
                if (own.begin < 0 || most - least <= own.most - own.least) own = {most, least, begin};
            }
        }
    std::vector<int> bounds{layers};
    for (int part = parts; part > 0; --part) bounds.push_back(best[at(part)][at(bounds.back())].begin);
    std::ranges::reverse(bounds);
    return bounds;
}

std::vector<StageContent> contentsBetween(const std::vector<int>& bounds, int blocks, int predictions) {
    const int layers = blocks + predictions + 2;
    std::vector<StageContent> made;
    for (std::size_t stage = 0; stage + 1 < bounds.size(); ++stage) {
        const auto among = [begin = bounds[stage], end = bounds[stage + 1]](int first, int last) {
            return std::max(0, std::min(end, last) - std::max(begin, first));
        };
        made.push_back({.embedding = among(0, 1) > 0,
                        .blocks = among(1, blocks + 1),
                        .predictions = among(blocks + 1, layers - 1),
                        .head = among(layers - 1, layers) > 0});
    }
    return made;
}

std::vector<StageContent> MatchedStages::operator()(int blocks, int predictions) const {
    if (!matchesEmbedding && !matchesBlocks)
        complain("no layer's class matches",
                 "EmbeddingPipe or ParallelTransformerLayerPipe, or a part of it");
    std::vector<double> weights(at(blocks + predictions + 2), matchesBlocks);
    weights.front() = weights.back() = matchesEmbedding;
    return balancedStages(weights, stages, blocks, predictions, complain);
}

std::vector<StageContent> ParameterStages::operator()(int blocks, int predictions,
                                                      const std::vector<double>& parameters) const {
    const auto hasSome = [](double bytes) { return bytes > 0; };
    if (std::ranges::none_of(parameters, hasSome))
        complain("the model's layers have no parameters to balance",
                 "a profile that knows its parameters, or another partition_method");
    return balancedStages(parameters, stages, blocks, predictions, complain);
}

std::vector<StageContent> UniformStages::operator()(int blocks, int predictions) const {
    const int layers = blocks + predictions + 2;
    if (stages > layers)
        complain(counted(stages, "stage") + " for " + counted(layers, "layer"), "no more stages than layers");
    return contentsBetween(uniformBounds(layers, stages), blocks, predictions);
}

std::optional<std::string> partitionMethod(const std::vector<StageContent>& stages,
                                           const std::vector<double>& parameters) {
    int blocks = 0, predictions = 0;
    for (const StageContent& stage : stages) {
        blocks += stage.blocks;
        predictions += stage.predictions;
    }
    const int count = static_cast<int>(stages.size());
    const StageComplaint none = [](const std::string& problem, const std::string& expected) {
        throw InputError("", "", problem, expected);
    };
    const auto gives = [&stages](const auto& rule) {
        try {
            return rule() == stages;
        } catch (const InputError&) {
            return false;
        }
    };
    const auto matched = [&](bool embedding, bool ofBlocks) {
        return [=] { return MatchedStages{count, embedding, ofBlocks, none}(blocks, predictions); };
    };
    if (gives([&] { return UniformStages{count, none}(blocks, predictions); })) return "uniform";
    if (gives([&] { return ParameterStages{count, none}(blocks, predictions, parameters); }))
        return "parameters";
    if (gives(matched(false, true))) return "type:transformer";
    if (gives(matched(true, true))) return "type:transformer|embedding";
    if (gives(matched(true, false))) return "type:embedding";
    return std::nullopt;
}

}  // namespace stagecraft::formats
