#pragma once

#include "core/base/enum_names.h"

namespace stagecraft::experiments {

enum class CellStatus {
    open,  ///< not run yet
    ok,
    infeasible,
    invalid,  ///< the validator found the plan to break the model's rules
    failed,
};

inline constexpr EnumName<CellStatus> cellStatusNames[] = {{CellStatus::open, "open"},
                                                           {CellStatus::ok, "ok"},
                                                           {CellStatus::infeasible, "infeasible"},
                                                           {CellStatus::invalid, "invalid"},
                                                           {CellStatus::failed, "failed"}};

const char* statusName(CellStatus status);

}  // namespace stagecraft::experiments
