#pragma once

#include "core/experiments/measured/measured_set.h"
#include "core/generation/transformer_model.h"

#include <functional>
#include <string>
#include <vector>

namespace stagecraft::experiments {

/// What the operations of a transformer reach of a GPU, where that is chosen by some rows of a set.
struct CalibratedShares {
    double products = 0.7;         ///< of the peak
    double attention = 0.7;        ///< of the peak, fused and forward, counting what a causal mask hides
    double backwardAttention = 1;  ///< share of attention's backward over its forward's
    double memory = 0.7;           ///< of the bandwidth that the data sheet has
    double operationS = 0;         ///< of each operation that memory bounds
};

/// One of these numbers, and how far apart those are that were tried.
struct CalibratedNumber {
    double CalibratedShares::*number;
    double step;
};

/// How the numbers of a set were chosen: of all on a grid those with the least sum of squared relative errors
/// over some rows, which are not judged.
struct RowCalibration {
    std::string name;                                          ///< "mpt, A100"
    MeasuredQuantity quantity = MeasuredQuantity::iterationS;  ///< of its set
    CalibratedShares shares;
    std::vector<CalibratedNumber> chosen;  ///< others are known
    /// The rows by which they were, as they would be with other numbers.
    std::function<std::vector<MeasuredRow>(const CalibratedShares&)> rows;
};

/// Of all sets whose numbers are chosen so.
std::vector<RowCalibration> measuredCalibrations();
std::vector<RowCalibration> torchtitanCalibrations();
std::vector<RowCalibration> mptCalibrations();
std::vector<RowCalibration> bigscienceCalibrations();
std::vector<RowCalibration> libaiCalibrations();
std::vector<RowCalibration> nemoCalibrations();
std::vector<RowCalibration> dgxcCalibrations();
std::vector<RowCalibration> vocabularyCalibrations();
std::vector<RowCalibration> internlmCalibrations();

/// The profile of a transformer in bf16 (fp16 where the GPU lacks that) with those shares.
/// @param tokens of a sample @param attention "fused" or "stored"
/// @param gpu of the catalogue @param microbatch samples of a copy @param copies that share a microbatch
/// @throws std::invalid_argument as describedProfile() does
LayerProfile calibratedProfile(const TransformerModel& model, int tokens, const std::string& attention,
                               const std::string& gpu, const CalibratedShares& shares, int microbatch,
                               int copies);

}  // namespace stagecraft::experiments
