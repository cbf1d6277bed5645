#include "core/experiments/cells_json.h"

#include "core/experiments/cell_status.h"

namespace stagecraft::experiments {

CellResult cellFromJson(const JsonObject& object) {
    CellResult cell;
    cell.status = object.required("status").choice(cellStatusNames);
    cell.reason = object.textOr("reason", "");
    if (const auto metrics = object.optional("metrics"))
        for (const std::string& name : metrics->fieldNames()) {
            const JsonValue value = metrics->member(name);
            if (!findMetric(name)) value.fail("no metric '" + name + "'", "a metric of this version");
            cell.metrics[name] = value.number();
        }
    return cell;
}

void addCell(nlohmann::ordered_json& out, const CellResult& cell) {
    out["status"] = statusName(cell.status);
    if (!cell.reason.empty()) out["reason"] = cell.reason;
    if (!cell.metrics.empty()) out["metrics"] = cell.metrics;
}

}  // namespace stagecraft::experiments
