#include "core/base/spelling.h"
#include "core/base/units.h"
#include "core/model/model_names.h"
#include "core/planners/details/detail_makers.h"
#include "core/runs/memory_table.h"

#include <algorithm>
#include <limits>

namespace stagecraft::planners {

namespace {

/// "0", "2, 5, 9".
std::string numbersText(const std::vector<int>& numbers) {
    std::vector<std::string> words;
    for (const int number : numbers) words.push_back(std::to_string(number));
    return joinNames(words);
}

std::string devicesText(const DeviceList& all, const std::vector<int>& devices) {
    const std::string first = all[static_cast<std::size_t>(devices.front())].id;
    return devices.size() == 1 ? first : first + " and " + std::to_string(devices.size() - 1) + " more";
}

std::string columnId(std::string words) {
    std::replace(words.begin(), words.end(), ' ', '_');
    return words + "_bytes";
}

/// The causes that some row has activations of.
std::vector<ActivationCause> causesIn(const std::vector<MemoryRow>& rows) {
    std::vector<ActivationCause> causes;
    for (const EnumName<ActivationCause>& name : activationCauseNames)
        for (const MemoryRow& row : rows)
            if (std::ranges::find(row.activations, name.value, &StoredPart::cause) != row.activations.end()) {
                causes.push_back(name.value);
                break;
            }
    return causes.size() == 1 && causes.front() == ActivationCause::other ? std::vector<ActivationCause>{}
                                                                          : causes;
}

double bytesOf(const MemoryRow& row, ActivationCause cause) {
    const auto part = std::ranges::find(row.activations, cause, &StoredPart::cause);
    return part == row.activations.end() ? 0 : part->bytes;
}

}  // namespace

DetailTable memoryByStage(const PlanRun& run, std::size_t most, const WorkContext&) {
    const std::vector<MemoryRow> rows = memoryTable(run);
    const std::vector<MemoryKind> kinds = shownKinds(run.evaluation->memory);
    const std::vector<ActivationCause> causes = causesIn(rows);
    DetailTable table;
    table.columns = {{"stages", "Stages"},
                     {"gpus", "GPUs"},
                     {"total_bytes", "total", DetailUnit::bytes},
                     {"limit_bytes", "of", DetailUnit::bytes},
                     {"at_s", "at", DetailUnit::seconds},
                     {"moment", "During"}};
    for (const MemoryKind kind : kinds)
        table.columns.push_back({columnId(memoryKindName(kind)), memoryKindName(kind), DetailUnit::bytes});
    for (const ActivationCause cause : causes)
        table.columns.push_back({std::string("activations_") + nameOf(activationCauseNames, cause) + "_bytes",
                                 std::string("activations: ") + nameOf(activationCauseNames, cause),
                                 DetailUnit::bytes});
    for (const MemoryRow& row : rows) {
        if (table.rows.size() == most) {
            table.cut = true;
            break;
        }
        std::vector<DetailCell> cells{numbersText(row.stages),
                                      devicesText(run.costs->problem().cluster.devices, row.devices)};
        cells.push_back(row.totalBytes);
        cells.push_back(row.limitBytes > 0 ? row.limitBytes : std::numeric_limits<double>::quiet_NaN());
        cells.push_back(row.atS);
        cells.push_back(row.moment);
        for (const MemoryKind kind : kinds) cells.push_back(row.bytes[static_cast<std::size_t>(kind)]);
        for (const ActivationCause cause : causes) cells.push_back(bytesOf(row, cause));
        table.rows.push_back(std::move(cells));
    }
    if (!causes.empty())
        table.notes.push_back(
            "Activations are shared out by cause as the layers of their stages keep them of a "
            "microbatch.");
    return table;
}

}  // namespace stagecraft::planners
