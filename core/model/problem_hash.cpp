#include "core/model/problem_hash.h"

#include "core/base/digest.h"
#include "core/model/measured_gpus.h"
#include "core/model/model_names.h"
#include "core/model/setup_fields.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace stagecraft::model {

namespace {

constexpr std::size_t digits = 32;

/// Bytes of which no two different sequences of fields are the same.
class Canonical {
public:
    explicit Canonical(std::string_view what) { text(what); }

    void whole(std::int64_t value) { bytes(static_cast<std::uint64_t>(value)); }
    void number(double value) {
        // -0 is 0, and there is one "not a number".
        bytes(value == 0 ? 0 : value != value ? ~0ull : std::bit_cast<std::uint64_t>(value));
    }
    void text(std::string_view value) {
        whole(std::ssize(value));
        hash_.add(value);
    }
    std::string hex() { return hash_.hex().substr(0, digits); }

private:
    void bytes(std::uint64_t value) {
        char out[8];
        for (char& byte : out) {
            byte = static_cast<char>(value & 0xff);
            value >>= 8;
        }
        hash_.add({out, sizeof out});
    }
    Sha256 hash_;
};

void addEdges(Canonical& out, std::vector<LayerEdge> edges) {
    std::sort(edges.begin(), edges.end(), [](const LayerEdge& a, const LayerEdge& b) {
        return std::tie(a.from, a.to) < std::tie(b.from, b.to);
    });
    out.whole(std::ssize(edges));
    for (const LayerEdge& edge : edges) {
        out.whole(edge.from);
        out.whole(edge.to);
    }
}

/// What files had not at first: problems that lack it keep their hash.
void addLaterDivision(Canonical& out, const LayerDivision& division) {
    const std::pair<const char*, double> parts[] = {
        {"entries", division.entries},
        {"exits", division.exits},
        {"key value rounds", division.keyValueRounds},
        {"routings", division.routings},
        {"fixed forward", division.fixedForwardShare},
        {"fixed backward", division.fixedBackwardShare},
        {"fixed weight gradient", division.fixedWeightGradientShare},
        {"expert forward", division.expertForwardShare},
        {"expert backward", division.expertBackwardShare},
        {"expert weight gradient", division.expertWeightGradientShare},
        {"expert weight gradient bytes", division.expertWeightGradientBytesShare},
        {"expert stored", division.expertStoredBytes}};
    for (const auto& [name, value] : parts) {
        if (value == 0) continue;
        out.text(name);
        out.number(value);
    }
}

void addDivision(Canonical& out, const LayerDivision& division) {
    out.text("division");
    for (const double value :
         {division.forwardShare, division.backwardShare, division.weightGradientShare,
          division.parameterShare, division.weightGradientBytesShare, division.entryBytes, division.exitBytes,
          division.keyValueBytes, division.routedBytes})
        out.number(value);
    addLaterDivision(out, division);
    for (const StoredPart& part : division.stored) {
        out.text(nameOf(activationCauseNames, part.cause));
        out.number(part.bytes);
    }
}

void addOnRanks(Canonical& out, const std::vector<RankMeasurement>& all) {
    if (all.empty()) return;
    out.text("on ranks");
    out.whole(std::ssize(all));
    const auto addAmount = [&out](const std::optional<double>& amount) {
        out.whole(amount ? 1 : 0);
        out.number(amount.value_or(0));
    };
    for (const RankMeasurement& measured : all) {
        if (!measured.gpu.empty()) out.text(measured.gpu);
        out.whole(measured.tensor);
        out.whole(measured.sequenceParallel ? 1 : 0);
        out.whole(measured.microbatchSize);
        out.whole(measured.times ? 1 : 0);
        if (measured.times)
            for (const double time :
                 {measured.times->forwardS, measured.times->backwardS, measured.times->weightGradientS})
                out.number(time);
        addAmount(measured.parameterBytes);
        addAmount(measured.storedActivationBytes);
    }
}

void addLayers(Canonical& out, const std::vector<Layer>& layers) {
    out.whole(std::ssize(layers));
    for (const Layer& layer : layers) {
        for (const double value :
             {layer.forwardS, layer.backwardS, layer.parameterBytes, layer.outputBytes,
              layer.outputGradientBytes, layer.storedActivationBytes, layer.weightGradientS})
            out.number(value);
        // Profiles that do not say have the hash that they had before it could be said.
        if (layer.weightGradientBytes) out.number(*layer.weightGradientBytes);
        for (const StoredPart& part : layer.storedParts) {
            out.text(nameOf(activationCauseNames, part.cause));
            out.number(part.bytes);
        }
        for (const auto& [what, value] : {std::pair("scores recompute", layer.scoresRecomputeS),
                                          std::pair("expert parameters", layer.expertParameterBytes)}) {
            if (value == 0) continue;
            out.text(what);
            out.number(value);
        }
        if (layer.division) addDivision(out, *layer.division);
        addOnRanks(out, layer.onRanks);
        if (layer.vocabulary != VocabularyLayer::none)
            out.text(nameOf(vocabularyLayerNames, layer.vocabulary));
    }
}

std::string hashOfNetwork(const LayerProfile& profile) {
    Canonical out("network");
    out.text(profile.name);
    out.whole(profile.layerCount());
    for (const Layer& layer : profile.layers) out.text(layer.name);
    addEdges(out, profile.dependencies());
    return out.hex();
}

std::string hashOfNumbers(const LayerProfile& profile) {
    Canonical out("profile");
    out.whole(profile.microbatchSize);
    addLayers(out, profile.layers);
    addEdges(out, profile.dependencies());
    out.whole(std::ssize(profile.otherSizes));
    for (const TimesAtSize& times : profile.otherSizes) {
        out.whole(times.microbatchSize);
        out.whole(std::ssize(times.layers));
        for (const LayerTimes& layer : times.layers)
            for (const double value : {layer.forwardS, layer.backwardS, layer.weightGradientS})
                out.number(value);
    }
    addLayers(out, profile.operators.nodes);
    addEdges(out, profile.operators.edges);
    for (const int layer : profile.operators.layerOf) out.whole(layer);
    // "No" and "not known" are the same to planners, and the same as before it could be said.
    if (profile.causalSequence.value_or(false)) out.text("causal sequence");
    return out.hex();
}

/// Texts by the number of their first appearance.
class Numbering {
public:
    int operator()(std::string_view text) {
        return numbers_.emplace(text, static_cast<int>(numbers_.size())).first->second;
    }
    int operator[](std::string_view text) const {
        const auto found = numbers_.find(text);
        return found == numbers_.end() ? -1 : found->second;
    }

private:
    std::unordered_map<std::string_view, int> numbers_;  ///< of texts that stay
};

/// @param kinds of its devices under the profile
std::string hashOfCluster(const Cluster& cluster, const GpuKinds& kinds) {
    Canonical out("cluster");
    Numbering server, node;
    out.whole(cluster.deviceCount());
    for (const Device& device : cluster.devices) {
        out.whole(node(device.id));
        out.whole(device.server.empty() ? -1 : server(device.server));
        for (const double value : {device.memoryBytes, device.speed, device.hostBandwidthBps})
            out.number(value);
    }
    out.whole(std::ssize(cluster.switches));
    for (const Switch& it : cluster.switches) {
        out.whole(node(it.id));
        out.whole(it.server.empty() ? -1 : server(it.server));
        if (it.sums) out.text("sums");
    }
    out.whole(std::ssize(cluster.links));
    for (const Link& link : cluster.links) {
        const auto [low, high] = std::minmax({node[link.a], node[link.b]});  // links have no direction
        out.whole(low);
        out.whole(high);
        out.number(link.bandwidthBps);
        out.number(link.latencyS);
    }
    for (const int kind : kinds.kindOf)
        out.text(kind == 0 ? "" : kinds.gpus[static_cast<std::size_t>(kind - 1)]);
    return out.hex();
}

void addSetting(Canonical& out, const SetupField& field, const ParameterValue& value) {
    if (const double* number = std::get_if<double>(&value)) return out.number(*number);
    if (const int* whole = std::get_if<int>(&value)) return out.whole(*whole);
    if (const bool* flag = std::get_if<bool>(&value)) return out.whole(*flag);
    const std::vector<std::string>& choices = field.value.choices;
    out.whole(std::find(choices.begin(), choices.end(), std::get<std::string>(value)) - choices.begin());
}

/// Fields that have their default are left out: one that is added later changes no hash of before. Numbers
/// with a fraction are the last, as ever.
std::string hashOfSetup(const TrainingSetup& setup) {
    Canonical out("setup");
    for (const bool fractions : {false, true})
        for (const SetupField& field : setupFields()) {
            const ParameterValue value = field.get(setup);
            if (!field.isHashed || std::holds_alternative<double>(value) != fractions) continue;
            if (!field.isRequired) {
                if (value == field.value.defaultValue) continue;
                out.text(field.value.name);
            }
            addSetting(out, field, value);
        }
    return out.hex();
}

}  // namespace

ProblemHash hashOf(const Problem& problem) {
    return {hashOfNetwork(problem.profile), hashOfNumbers(problem.profile),
            hashOfCluster(problem.cluster, gpuKinds(problem.profile, problem.cluster)),
            hashOfSetup(problem.setup)};
}

PlanAge planAge(const ProblemHash& madeFor, const ProblemHash& now) {
    if (madeFor.profile != now.profile && madeFor.network != now.network) return PlanAge::otherProfile;
    const bool same =
        madeFor.profile == now.profile && madeFor.cluster == now.cluster && madeFor.setup == now.setup;
    return same ? PlanAge::current : PlanAge::outOfDate;
}

std::string changedParts(const ProblemHash& madeFor, const ProblemHash& now) {
    std::vector<std::string> parts;
    if (madeFor.profile != now.profile) parts.emplace_back("profile");
    if (madeFor.cluster != now.cluster) parts.emplace_back("cluster");
    if (madeFor.setup != now.setup) parts.emplace_back("setup");
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i)
        text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    return text;
}

}  // namespace stagecraft::model
