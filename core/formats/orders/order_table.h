#pragma once

#include "core/model/plan.h"
#include "core/model/problem.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

// An order as a plain table, for spreadsheets: a row for each pass, with the columns device (its id),
// position (from 0) and operation ("2:F3", the stage, the kind and the microbatch); of a plan with several
// copies of the network also copy, that of the operation's stage.

/// @throws std::invalid_argument if the plan does not spell out what each device runs
std::string writeOrderTable(const Plan& plan, const Cluster& cluster);

/// Whether a text begins as an order table does.
bool isOrderTable(std::string_view text);

/// What an order table says: who runs what, and so which stages each device holds.
struct TabledOrder {
    Schedule schedule;                      ///< an ExplicitSchedule
    std::vector<std::vector<int>> devices;  ///< by stage
    std::vector<int> copies;                ///< by stage: the copy of the network that it is of, from 0
};
/// Rows may come in any order, columns too, and others are ignored; several devices may have the same stage,
/// as its replicas.
/// @throws InputError with the line
TabledOrder readOrderTable(std::string_view text, const std::string& file, const Cluster& cluster);

}  // namespace stagecraft::formats
