#pragma once

#include "core/model/problem.h"

#include <string>
#include <vector>

namespace stagecraft::model {

// What the devices of a problem cost: each its own price (Device::pricePerHour), else the setup's
// (TrainingSetup::gpuPricePerHour).

/// Dollars for an hour of a device; 0: not known.
double pricePerHour(const Problem& problem, int device);
/// Dollars for a second of devices together; 0: the price of one of them is not known.
double dollarsPerSecond(const Problem& problem, const std::vector<int>& devices);
/// The same of those that have a stage of the plan, each once.
double dollarsPerSecond(const Problem& problem, const Plan& plan);
/// Whether the price of each device is known.
bool hasPrices(const Problem& problem);
/// The first device whose price is not known where that of another is; -1: there is none.
int firstWithoutPrice(const Problem& problem);
/// Devices that have a stage of the plan, each once, ascending.
std::vector<int> usedDevices(const Plan& plan);
/// "$1,234.50", "$0.0123": below a dollar with three digits.
std::string formatDollars(double dollars);

}  // namespace stagecraft::model
