#pragma once

#include "core/memory/memory.h"
#include "core/memory/memory_saved.h"
#include "views/timeline/step_series.h"

#include <optional>
#include <vector>

namespace stagecraft::views::timeline {

/// The memory of one device, or of several that hold the same at every instant.
class MemorySeries : public StepSeries {
public:
    /// What the device would hold with every activation kept.
    struct Saved {
        const SavedMemory* memory;
        StepSeries kept;
    };

    explicit MemorySeries(const MemoryCurve& curve, const SavedMemory* saved = nullptr);

    const MemoryCurve& curve() const { return *curve_; }  ///< outlives this: both belong to one evaluation
    const Saved* saved() const { return saved_ ? &*saved_ : nullptr; }  ///< null if nothing is ever saved
    std::vector<int> devices;                                           ///< ascending

private:
    const MemoryCurve* curve_;
    std::optional<Saved> saved_;
};

/// One series for each distinct curve, by lowest device; devices that hold nothing at any time have none.
/// `saved`: of the same devices, or nothing.
std::vector<MemorySeries> memorySeries(const std::vector<MemoryCurve>& curves,
                                       const SavedMemories& saved = {});

}  // namespace stagecraft::views::timeline
