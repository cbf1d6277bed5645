#include "core/planners/vpipe/roomy_partitions.h"

#include "core/base/indices.h"

#include <algorithm>
#include <limits>

namespace stagecraft::planners::vpipe {

namespace {

class Listing {
public:
    explicit Listing(const MemoryFloor& floor)
        : floor_(floor), layers_(floor.layerCount()), stages_(floor.stageCount()) {
        // From the last stage back, so that a partition that is begun can be completed.
        least_.assign(at(stages_) + 1, std::vector<double>(at(layers_) + 1, infinity));
        least_[at(stages_)][at(layers_)] = -infinity;
        for (int stage = stages_ - 1; stage >= 0; --stage)
            for (int first = stage; first < layers_; ++first) findLeast(stage, first);
    }

    double leastExcess() const { return least_[0][0]; }

    /// Those that exceed a limit by `allowed` at most; of more than `most` the first `most` + 1.
    std::vector<std::vector<int>> within(double allowed, std::size_t most) {
        found_.clear();
        bounds_.clear();
        most_ = most;
        if (!(leastExcess() > allowed)) extend(0, 0, allowed);
        return std::move(found_);
    }

private:
    int lastOf(int stage) const { return layers_ - (stages_ - stage); }  ///< leaves a layer to each after it

    void findLeast(int stage, int first) {
        double& least = least_[at(stage)][at(first)];
        floor_.eachLeast(stage, first, [&](int last, double bytes) {
            const double own = floor_.excess(stage, bytes);
            if (last > lastOf(stage) || own >= least) return false;
            least = std::min(least, std::max(own, least_[at(stage) + 1][at(last) + 1]));
            return true;
        });
    }

    void extend(int stage, int first, double allowed) {
        if (stage == stages_) {
            found_.push_back(bounds_);
            return;
        }
        floor_.eachLeast(stage, first, [&](int last, double bytes) {
            if (last > lastOf(stage) || floor_.excess(stage, bytes) > allowed || found_.size() > most_)
                return false;
            if (least_[at(stage) + 1][at(last) + 1] > allowed) return true;
            if (stage + 1 < stages_) bounds_.push_back(last + 1);
            extend(stage + 1, last + 1, allowed);
            if (stage + 1 < stages_) bounds_.pop_back();
            return true;
        });
    }

    const MemoryFloor& floor_;
    int layers_, stages_;
    std::vector<std::vector<double>> least_;  ///< [stage][first]: of the stages from there on
    std::vector<std::vector<int>> found_;
    std::vector<int> bounds_;
    std::size_t most_ = 0;
};

}  // namespace

double worstExcess(const MemoryFloor& floor, const std::vector<int>& bounds, int* worstStage) {
    double worst = -infinity;
    for (int stage = 0; stage < floor.stageCount(); ++stage) {
        const int first = stage == 0 ? 0 : bounds[at(stage - 1)];
        const int end = stage + 1 < floor.stageCount() ? bounds[at(stage)] : floor.layerCount();
        double own = 0;
        floor.eachLeast(stage, first, [&](int last, double bytes) {
            own = floor.excess(stage, bytes);
            return last + 1 < end;
        });
        if (own > worst && worstStage) *worstStage = stage;
        worst = std::max(worst, own);
    }
    return worst;
}

RoomyPartitions roomyPartitions(const MemoryFloor& floor, std::size_t most) {
    Listing listing(floor);
    const double least = listing.leastExcess();
    RoomyPartitions result;
    result.roomiest = listing.within(least, 0).front();
    result.bounds = listing.within(0, most);
    result.all = result.bounds.size() <= most;
    constexpr int halvings = 12;
    double low = least, high = 0;
    if (!result.all) result.bounds = listing.within(least, most);
    for (int step = 0; !result.all && step < halvings; ++step) {
        const double middle = low + (high - low) / 2;
        std::vector<std::vector<int>> bounds = listing.within(middle, most);
        (bounds.size() > most ? high : low) = middle;
        if (bounds.size() <= most) result.bounds = std::move(bounds);
    }
    if (result.bounds.size() > most) result.bounds.resize(most);
    std::stable_sort(result.bounds.begin(), result.bounds.end(),
                     [&](const std::vector<int>& a, const std::vector<int>& b) {
                         return worstExcess(floor, a) < worstExcess(floor, b);
                     });
    return result;
}

}  // namespace stagecraft::planners::vpipe
