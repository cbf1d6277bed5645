#include "core/experiments/results.h"

#include "core/base/counted.h"
#include "core/base/csv_text.h"
#include "core/experiments/experiment_json.h"
#include "core/experiments/printed.h"
#include "core/formats/files/import.h"
#include "core/formats/json_writer.h"
#include "core/formats/native/native_parts.h"
#include "core/formats/text_file.h"

#include <algorithm>

namespace stagecraft::experiments {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

const std::vector<std::string>& cellFields() {
    static const std::vector<std::string> fields = {"at", "planner", "status", "reason", "metrics"};
    return fields;
}

/// The number of the cell that an entry is about.
std::size_t cellNumber(const JsonObject& object, const Grid& grid) {
    const Experiment& experiment = grid.experiment();
    const JsonValue at = object.required("at");
    const std::vector<JsonValue> given = at.elements();
    if (given.size() != experiment.axes.size())
        at.fail("it has " + counted(given.size(), "value"),
                "one for each of the " + counted(experiment.axes.size(), "axis", "axes"));
    std::vector<std::size_t> coordinates;
    for (std::size_t axis = 0; axis < given.size(); ++axis) {
        const auto& values = experiment.axes[axis].values;
        const auto found = std::find_if(values.begin(), values.end(), [&](const AxisValue& value) {
            return value.label == given[axis].text();
        });
        if (found == values.end())
            given[axis].fail("axis '" + experiment.axes[axis].name + "' has no such value",
                             "one of its labels");
        coordinates.push_back(static_cast<std::size_t>(found - values.begin()));
    }
    const JsonValue label = object.required("planner");
    for (std::size_t i = 0; i < experiment.planners.size(); ++i)
        if (experiment.planners[i].label == label.text()) return grid.cellOf(grid.pointAt(coordinates), i);
    label.fail("no planner is called '" + label.text() + "'", "a label of the experiment");
}

/// Every metric; of those that only studies have the ones that are there.
std::vector<MetricDescription> columnsOf(const ExperimentResults& results) {
    std::vector<MetricDescription> columns = metricDescriptions();
    std::erase_if(columns, [&](const MetricDescription& metric) {
        return metric.ofStudies &&
               std::none_of(results.cells.begin(), results.cells.end(),
                            [&](const CellResult& cell) { return cell.metrics.contains(metric.name); });
    });
    return columns;
}

}  // namespace

bool ExperimentResults::complete() const {
    return std::none_of(cells.begin(), cells.end(),
                        [](const CellResult& cell) { return cell.status == CellStatus::open; });
}

ExperimentResults emptyResults(Experiment experiment) {
    std::vector<CellResult> cells(Grid(experiment).cellCount());
    return {std::move(experiment), std::move(cells)};
}

ExperimentResults readResults(std::string_view text, const std::string& file,
                              const std::filesystem::path& directory) {
    const json document = parseJson(text, file);
    const JsonValue root(document, file);
    checkHeader(root, resultsFormat);
    const JsonObject object(root, {"format", "version", "experiment", "cells"});
    ExperimentResults results;
    const JsonValue experiment = object.required("experiment");
    results.experiment = readExperiment(experiment.raw().dump(), file + " /experiment", directory);
    const Grid grid(results.experiment);
    results.cells.resize(grid.cellCount());
    for (const JsonValue& entry : object.required("cells").elements()) {
        const JsonObject cell(entry, cellFields());
        CellResult& place = results.cells[cellNumber(cell, grid)];
        if (place.status != CellStatus::open) entry.fail("duplicate cell", "each cell once");
        place = cellFromJson(cell);
    }
    return results;
}

ExperimentResults openResults(const std::filesystem::path& path) {
    return readResults(readTextFile(path), path.string(), path.parent_path());
}

ExperimentResults readExperimentOrResults(const std::string& text, const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (detectKind(text) == FileKind::results) return readResults(text, path, folder);
    return emptyResults(readExperiment(text, path, folder));
}

std::string writeResults(const ExperimentResults& results) {
    const Grid grid(results.experiment);
    ordered_json out = header(resultsFormat);
    out["experiment"] = ordered_json::parse(writeExperiment(results.experiment));
    ordered_json& cells = out["cells"] = ordered_json::array();
    for (std::size_t cell = 0; cell < results.cells.size(); ++cell) {
        if (results.cells[cell].status == CellStatus::open) continue;
        ordered_json entry;
        entry["at"] = ordered_json::array();
        const std::vector<std::size_t> at = grid.coordinates(grid.pointOf(cell));
        for (std::size_t axis = 0; axis < at.size(); ++axis)
            entry["at"].push_back(results.experiment.axes[axis].values[at[axis]].label);
        entry["planner"] = results.experiment.planners[grid.plannerOf(cell)].label;
        addCell(entry, results.cells[cell]);
        cells.push_back(std::move(entry));
    }
    return formatJson(out);
}

std::string resultsCsv(const ExperimentResults& results) {
    const Grid grid(results.experiment);
    std::string out;
    for (const Axis& axis : results.experiment.axes) out += csvCell(axis.name) + ",";
    out += "planner,status";
    const std::vector<MetricDescription> metrics = columnsOf(results);
    for (const MetricDescription& metric : metrics) out += "," + metric.name;
    const std::vector<std::string> printedNames = printedMetrics(results.experiment);
    const std::vector<CellResult> printed = printedCells(grid);
    for (const std::string& metric : printedNames)
        out += "," + metric + "_printed," + metric + "_over_printed";
    out += ",reason\n";
    for (std::size_t cell = 0; cell < results.cells.size(); ++cell) {
        const CellResult& result = results.cells[cell];
        const std::vector<std::size_t> at = grid.coordinates(grid.pointOf(cell));
        for (std::size_t axis = 0; axis < at.size(); ++axis)
            out += csvCell(results.experiment.axes[axis].values[at[axis]].label) + ",";
        out += csvCell(results.experiment.planners[grid.plannerOf(cell)].label) + "," +
               statusName(result.status);
        for (const MetricDescription& metric : metrics) {
            const auto value = result.metric(metric.name);
            out += "," + (value ? formatJsonInline(ordered_json(*value)) : std::string());
        }
        for (const std::string& metric : printedNames) {
            const auto number = printed[cell].metric(metric), own = result.metric(metric);
            out += "," + (number ? formatJsonInline(ordered_json(*number)) : std::string()) + ",";
            if (number && own && *number != 0) out += formatJsonInline(ordered_json(*own / *number));
        }
        out += "," + csvCell(result.reason) + "\n";
    }
    return out;
}

ExperimentResults merged(const std::vector<ExperimentResults>& parts, const std::vector<std::string>& names) {
    ExperimentResults all = parts.at(0);
    const std::string experiment = writeExperiment(all.experiment);
    for (std::size_t part = 1; part < parts.size(); ++part) {
        if (writeExperiment(parts[part].experiment) != experiment)
            throw InputError(names[part], "/experiment",
                             "this is another experiment than that of " + names[0], "runs of one experiment");
        const Grid grid(all.experiment);
        for (std::size_t cell = 0; cell < all.cells.size(); ++cell) {
            const CellResult& other = parts[part].cells[cell];
            if (other.status == CellStatus::open) continue;
            if (all.cells[cell].status != CellStatus::open && all.cells[cell] != other)
                throw InputError(names[part], "/cells",
                                 all.experiment.planners[grid.plannerOf(cell)].label + " at " +
                                     grid.describe(grid.pointOf(cell)) + " differs from another part",
                                 "parts that agree where they overlap");
            all.cells[cell] = other;
        }
    }
    return all;
}

}  // namespace stagecraft::experiments
