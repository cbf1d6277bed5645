#pragma once

#include "core/analysis/metrics.h"

#include <optional>

namespace stagecraft::analysis {

/// What training in mixed precision would hold, where a profile in half precision makes the counted memory
/// too small: beside weights and gradients of 2 bytes it keeps weights and optimizer state of 4 (Rajbhandari
/// et al., ZeRO, SC 2020, Sec. 3.1: 16 bytes a parameter under Adam, where 8 are counted).
struct MixedPrecision {
    double countedBytes = 0;        ///< per parameter: weights, gradients and optimizer state
    double neededBytes = 0;         ///< per parameter, with gradients of 2 bytes
    double fullGradientsBytes = 0;  ///< per parameter, with gradients of 4 (Megatron-LM)
    int device = 0;                 ///< the one closest to its limit, or furthest over it
    double peakBytes = 0;           ///< there, with neededBytes
    double limitBytes = 0;          ///< there; 0: none
    bool fits = true;               ///< on every device

    /// "Memory understated: …" with what it needs, where, and whether that fits.
    std::string sentence(const DeviceList& devices) const;
};

/// Nothing where elements are not known to have 2 bytes, or the setup has the states of mixed precision.
std::optional<MixedPrecision> mixedPrecision(const CostModel& costs, const Plan& plan,
                                             const Metrics& metrics);

/// What marks memory that is counted too small, after the number.
inline constexpr const char* understatedMark = "understated";

}  // namespace stagecraft::analysis
