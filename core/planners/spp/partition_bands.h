#pragma once

#include "core/planners/spp/partition_terms.h"

#include <vector>

namespace stagecraft::planners {

/// Which prefixes of partitions PRM looks at: the first l layers in xi stages on the first i devices of the
/// order.
class PartitionBands {
public:
    /// All that more stages, `maxStages` in all, can follow, and the whole.
    PartitionBands(const PartitionTerms& terms, int maxStages);
    /// Those that a partition of xi stages can begin with that takes no longer than limits[xi - 1] (infinity:
    /// than any), for some xi. Left out is what has too few devices, before or after it, for each stage to
    /// stay within that, were all windows of devices as good as the best of their size. What ties with a
    /// partition that takes just the limit stays in.
    PartitionBands(const PartitionTerms& terms, const std::vector<double>& limits);

    struct Layers {
        int first = 0, last = -1;  ///< none if last < first
        int count() const { return last - first + 1; }
    };
    Layers layers(int stages, int devices) const { return layers_[index(stages, devices)]; }
    /// A prefix that takes longer need not be known.
    double limit(int stages) const { return limits_[static_cast<std::size_t>(stages - 1)]; }
    int maxStages() const { return static_cast<int>(limits_.size()); }

private:
    class Least;

    std::size_t index(int stages, int devices) const {
        return static_cast<std::size_t>(stages - 1) * (static_cast<std::size_t>(devices_) + 1) +
               static_cast<std::size_t>(devices);
    }
    void add(int stages, int layers, int fewest, int most);
    void addWithin(const PartitionTerms& terms, double limit, const std::vector<int>& totals);

    int devices_ = 0;
    std::vector<double> limits_;
    std::vector<Layers> layers_;
};

}  // namespace stagecraft::planners
