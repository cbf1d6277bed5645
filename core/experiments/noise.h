#pragma once

#include "core/experiments/grid.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::experiments {

/// Whether a metric is what a training ends with, which another seed would have made another number.
bool isOfTraining(const std::string& metric);
/// Axes along which only the seed differs.
bool isOfSeeds(const Axis& axis);

/// One of the numbers that a claim is about, and where it comes from.
struct ClaimNumber {
    std::size_t point = 0;  ///< of the grid
    double number = 0;
    double resolution = 0;  ///< it is known no better than that (resolutionOf)
};

/// How sure the number is that decides a claim on trainings.
struct Noise {
    int seeds = 0;
    /// Of the number; for a geometric mean of its logarithm. 0 for one seed, which says nothing about it.
    double standardError = 0;
};

/// The claim's aggregate is formed for each seed by itself, of numbers that are compared within a seed, and
/// the standard error is that of the mean over seeds: their standard deviation over the root of their number.
/// For `every`, `some`, `largest` and `least` one training decides: its standard error is the standard
/// deviation over the seeds at its place. No seed's number counts as more certain than its resolution. @param
/// numbers of the claim
/// @param decides where one does: which of them @return nothing where no number comes of a training
std::optional<Noise> noiseOf(const Grid& grid, const Claim& claim, const std::vector<ClaimNumber>& numbers,
                             const ClaimNumber* decides);

/// By how much a metric changes if one validation sample is taken for another class, or if one epoch more is
/// needed; 0 for what is not counted, and for the time to the target, where it is that cell's epoch.
double resolutionOf(const Grid& grid, const std::string& metric);

}  // namespace stagecraft::experiments
