#include "core/experiments/measured/nvidia_table.h"

#include "core/experiments/measured/measured_data.h"

namespace stagecraft::experiments {

namespace {

NvidiaRun nvidiaRun(const MeasuredCells& cells, const NvidiaMachine& machine) {
    // A table may lack a column of what none of its runs has.
    const auto whole = [&](const char* name, int otherwise) {
        const auto cell = cells.find(name);
        return cell == cells.end() ? otherwise : std::stoi(cell->second);
    };
    return {.model = cells.at("model"),
            .gpu = machine.name,
            .precision = machine.precision,
            .machine = machine.machine,
            .gpusOfMachine = machine.gpusOfMachine,
            .gpus = std::stoi(cells.at("gpus")),
            .samples = std::stoi(cells.at("samples")),
            .microbatch = std::stoi(cells.at("microbatch")),
            .tokens = std::stoi(cells.at("tokens")),
            .tensor = std::stoi(cells.at("tensor")),
            .stages = std::stoi(cells.at("stages")),
            .context = std::stoi(cells.at("context")),
            .chunks = std::stoi(cells.at("chunks")),
            .layers = whole("layers", 0),
            .sharded = whole("fsdp", 0) == 1};
}

/// In the order of the table. @param shares of each machine
template <typename SharesOf>
std::vector<MeasuredRow> rowsOf(const NvidiaTable& table, const NvidiaMachine* only, SharesOf sharesOf) {
    std::vector<MeasuredRow> rows;
    for (const MeasuredCells& cells : measuredTable("measured/published/" + table.set + ".csv"))
        for (const NvidiaMachine& machine : table.machines) {
            if (machine.gpu != cells.at("gpu") || machine.precision != cells.at("precision")) continue;
            const NvidiaRun run = nvidiaRun(cells, machine);
            const bool isCalibratedOn = table.isCalibratedOn(run);
            if (only && (&machine != only || !isCalibratedOn)) continue;
            rows.push_back(
                {.name = cells.at("release") + ": " + run.words(),
                 .measured = std::stod(cells.at(table.measured)),
                 .isCalibratedOn = isCalibratedOn,
                 .project = [run, shares = sharesOf(machine)] { return projectOfNvidiaRun(run, shares); }});
        }
    return rows;
}

}  // namespace

std::vector<MeasuredRow> measuredNvidiaRows(const NvidiaTable& table) {
    return rowsOf(table, nullptr, [](const NvidiaMachine& machine) { return machine.shares; });
}

std::vector<RowCalibration> nvidiaCalibrations(const NvidiaTable& table) {
    std::vector<RowCalibration> all;
    for (const NvidiaMachine& machine : table.machines)
        all.push_back({table.set + ", " + machine.gpu + " " + machine.precision,
                       table.quantity,
                       machine.shares,
                       {{&CalibratedShares::products, 0.0125}},
                       [table, &machine](const CalibratedShares& shares) {
                           return rowsOf(table, &machine, [&](const NvidiaMachine&) { return shares; });
                       }});
    return all;
}

}  // namespace stagecraft::experiments
