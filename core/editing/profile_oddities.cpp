#include "core/editing/profile_oddities.h"

#include "core/base/units.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace stagecraft::editing {

namespace {

using OddityKind = ProfileOddity::Kind;

constexpr double heavyShare = 0.25;
constexpr std::size_t fewLayers = 8;
constexpr double jumpFactor = 4;
constexpr std::size_t fewAlike = 3;

double timeOf(const Layer& layer) { return layer.forwardS + layer.backwardS; }

/// The name without its numbers, and without what brackets hold.
std::string family(const std::string& name) {
    std::string letters;
    int depth = 0;
    for (const char letter : name) {
        depth += letter == '(' || letter == '[';
        if (depth == 0 && !std::isdigit(static_cast<unsigned char>(letter))) letters += letter;
        depth -= letter == ')' || letter == ']';
    }
    return letters;
}

/// The median time of each family that is large enough.
std::map<std::string, double> usualTimes(const LayerProfile& profile) {
    std::map<std::string, std::vector<double>> times;
    for (const Layer& layer : profile.layers) times[family(layer.name)].push_back(timeOf(layer));
    std::map<std::string, double> usual;
    for (auto& [name, all] : times) {
        if (all.size() < fewAlike) continue;
        const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
        std::nth_element(all.begin(), middle, all.end());
        usual[name] = *middle;
    }
    return usual;
}

class OdditySearch {
public:
    explicit OdditySearch(const LayerProfile& profile) : profile_(profile), usual_(usualTimes(profile)) {
        for (const Layer& layer : profile.layers) total_ += timeOf(layer);
        isFed_.resize(profile.layers.size(), profile.edges.empty());
        if (!isFed_.empty()) isFed_[0] = false;
        for (const LayerEdge& edge : profile.edges) isFed_[static_cast<std::size_t>(edge.to)] = true;
    }

    std::vector<ProfileOddity> run() {
        for (layer_ = 0; layer_ < profile_.layerCount(); ++layer_) {
            const Layer& layer = profile_.layers[static_cast<std::size_t>(layer_)];
            checkTimes(layer);
            checkPlace(layer);
            checkBytes(layer);
        }
        return std::move(found_);
    }

private:
    void add(OddityKind kind, const Layer& layer, const std::string& what) {
        found_.push_back({kind, layer_, "layer " + std::to_string(layer_) + " (" + layer.name + ") " + what});
    }

    void checkTimes(const Layer& layer) {
        if (timeOf(layer) == 0) return add(OddityKind::noTime, layer, "takes no time, forward or backward");
        if (layer.forwardS == 0)
            return add(OddityKind::noForward, layer,
                       "has no forward time, but a backward of " + formatSeconds(layer.backwardS));
        if (layer.parameterBytes == 0) return;
        if (layer.backwardS == 0)
            return add(OddityKind::noBackward, layer,
                       "has parameters of " + formatBytes(layer.parameterBytes) + ", but no backward time");
        if (layer.backwardS < layer.forwardS)
            add(OddityKind::quickBackward, layer,
                "is faster backward (" + formatSeconds(layer.backwardS) + ") than forward (" +
                    formatSeconds(layer.forwardS) + "), though it has parameters");
    }

    void checkPlace(const Layer& layer) {
        if (profile_.layers.size() >= fewLayers && timeOf(layer) > heavyShare * total_)
            add(OddityKind::heavy, layer,
                "takes " + formatPercent(timeOf(layer) / total_) +
                    " of the whole time; no plan can share the work better than that");
        const auto usual = usual_.find(family(layer.name));
        if (usual == usual_.end() || timeOf(layer) == 0 || usual->second == 0) return;
        const double factor = timeOf(layer) / usual->second;
        if (factor > jumpFactor)
            add(OddityKind::jump, layer,
                "takes " + formatNumber(factor) + " times as long as layers of its name usually do (" +
                    formatSeconds(usual->second) + ")");
        else if (factor * jumpFactor < 1)
            add(OddityKind::jump, layer,
                "takes " + formatPercent(factor) + " of what layers of its name usually do (" +
                    formatSeconds(usual->second) + ")");
    }

    void checkBytes(const Layer& layer) {
        const double more = std::max(layer.outputBytes, layer.outputGradientBytes);
        const double less = std::min(layer.outputBytes, layer.outputGradientBytes);
        if (less > 0 && more > jumpFactor * less)
            add(OddityKind::gradientDiffers, layer,
                "hands on " + formatBytes(layer.outputBytes) + ", but gets a gradient of " +
                    formatBytes(layer.outputGradientBytes) + " for it");
        if (layer.parameterBytes > 0 && layer.backwardS > 0 && layer.storedActivationBytes == 0 &&
            isFed_[static_cast<std::size_t>(layer_)])
            add(OddityKind::nothingStored, layer, "stores nothing for its backward, though it has an input");
    }

    const LayerProfile& profile_;
    std::map<std::string, double> usual_;
    std::vector<bool> isFed_;
    double total_ = 0;
    int layer_ = 0;
    std::vector<ProfileOddity> found_;
};

}  // namespace

std::vector<ProfileOddity> profileOddities(const LayerProfile& profile) {
    return OdditySearch(profile).run();
}

}  // namespace stagecraft::editing
