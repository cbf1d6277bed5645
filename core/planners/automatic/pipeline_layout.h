#pragma once

#include "core/model/group.h"
#include "core/model/problem.h"

#include <numeric>
#include <string>
#include <vector>

namespace stagecraft::planners {

/// How a pipeline is laid out over devices: `ranks` sets of as many devices, each with as many copies of what
/// it holds, all copies made of the same group; or, with `sizes`, sets of different numbers of copies, which
/// share the samples of each microbatch. The mini-batch goes through it in equal microbatches.
struct PipelineLayout {
    Group group = {};
    ZeroStage zero = ZeroStage::off;
    int samples = 1;              ///< of a microbatch, of each copy; with `sizes` of all copies together
    int copies = 1;               ///< d: data-parallel degree, context-parallel ranks not counted
    int microbatches = 1;         ///< of each copy
    int ranks = 1;                ///< p: of the pipeline
    std::vector<int> sizes = {};  ///< copies by rank, where they differ; else empty

    /// Where all ranks have as many.
    int devicesOfRank() const { return group.ranksOfCopy() * copies; }
    int devices() const {
        return sizes.empty() ? devicesOfRank() * ranks
                             : group.ranksOfCopy() * std::accumulate(sizes.begin(), sizes.end(), 0);
    }
    bool operator==(const PipelineLayout&) const = default;
};

/// "tensor 8 with sequence parallelism × context 2 × pipeline 16 × data 8, ZeRO-1; 64 microbatches of 1
/// sample"; degrees of 1 other than those of pipeline and data are left out. With sizes "data 16 + 9 + 6 +
/// 1".
std::string layoutText(const PipelineLayout& layout);

/// What each device of a rank holds for a layer between passes, in bytes: weights, gradients and optimizer;
/// and how long it takes to update what it has the states of.
class LayoutStates {
public:
    LayoutStates(const Problem& problem, const PipelineLayout& layout);
    /// @param parameters bytes of the layer on a rank of the group that are not experts' @param experts those
    double bytes(double parameters, double experts) const {
        return parameters * dense_ + experts * ofExperts_;
    }
    /// Seconds of the optimizer's step (cost::updateS), of the same; 0 where it takes no time.
    double updateS(double parameters, double experts) const {
        return parameters * denseUpdateS_ + experts * expertUpdateS_;
    }

private:
    double dense_ = 0, ofExperts_ = 0;
    double denseUpdateS_ = 0, expertUpdateS_ = 0;
};

}  // namespace stagecraft::planners
