#include "core/experiments/cell_status.h"

namespace stagecraft::experiments {

const char* statusName(CellStatus status) {
    for (const auto& entry : cellStatusNames)
        if (entry.value == status) return entry.name;
    return "";
}

}  // namespace stagecraft::experiments
