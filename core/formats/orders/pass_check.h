#pragma once

#include "core/formats/orders/rank_orders.h"

#include <optional>
#include <string>

namespace stagecraft::formats {

/// What is wrong with orders, for whoever reads or writes them.
struct PassMistake {
    int rank = -1;
    int position = -1;  ///< of the pass in the rank's order; -1: something is missing
    std::string problem, expected;
};

/// The first reason why an engine cannot run them, nothing if it can as far as each rank by itself shows:
/// stages and microbatches count from 0, a stage is on one rank, each pass of each microbatch comes once, F
/// before its backward and that before its weight gradient, and the last stage's forwards ascend.
std::optional<PassMistake> firstMistake(const RankOrders& orders);

}  // namespace stagecraft::formats
