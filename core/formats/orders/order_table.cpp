#include "core/formats/orders/order_table.h"

#include "core/base/csv_text.h"
#include "core/base/indices.h"
#include "core/base/text_parts.h"
#include "core/formats/input_error.h"
#include "core/formats/pass_text.h"
#include "core/formats/profiles/csv_profile.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

namespace stagecraft::formats {

namespace {

constexpr const char* columnNames[] = {"device", "position", "operation"};
constexpr const char* copyName = "copy";  // left out where there is one
constexpr const char* operationShape =
    "STAGE:, then F, B, I, W, R, E, L, S, T, N or G, then MICROBATCH, as 2:F3; a slice of it as 2:F3.1; a "
    "pair as "
    "(2:F7&1:B3)";

std::optional<Task> taskNamed(std::string_view text) {
    const std::optional<int> stage = takeCount(text);
    if (!stage || text.size() < 3 || text[0] != ':') return std::nullopt;
    const std::optional<TaskKind> kind = passOfLetter(text[1]);
    text.remove_prefix(2);
    if (!kind) return std::nullopt;
    Task task{*kind, *stage};
    return takeMicrobatch(text, task) && text.empty() ? std::optional(task) : std::nullopt;
}

/// A pass, or the two of a pair; empty: neither.
std::vector<Task> operationOf(std::string_view text) {
    const std::size_t both = text.find('&');
    if (both == std::string_view::npos) {
        const std::optional<Task> task = taskNamed(text);
        return task ? std::vector{*task} : std::vector<Task>{};
    }
    if (!text.starts_with('(') || !text.ends_with(')')) return {};
    const std::optional<Task> forward = taskNamed(text.substr(1, both - 1));
    std::optional<Task> backward = taskNamed(text.substr(both + 1, text.size() - both - 2));
    if (!forward || !backward || forward->kind != TaskKind::forward || backward->kind != TaskKind::backward)
        return {};
    backward->paired = true;
    return {*forward, *backward};
}

class TableReader {
public:
    TableReader(std::string_view text, const std::string& file, const Cluster& cluster)
        : table_(readCsvTable(text, file)), file_(file), cluster_(cluster) {
        for (std::size_t column = 0; column < std::size(columnNames); ++column) {
            const auto found = std::find(table_.header.begin(), table_.header.end(), columnNames[column]);
            if (found == table_.header.end())
                throw InputError(file_, "line 1", std::string("no column '") + columnNames[column] + "'",
                                 "the columns device, position and operation");
            columns_[column] = static_cast<std::size_t>(found - table_.header.begin());
        }
        if (const auto found = std::find(table_.header.begin(), table_.header.end(), copyName);
            found != table_.header.end())
            copyColumn_ = static_cast<std::size_t>(found - table_.header.begin());
    }

    TabledOrder read() {
        for (std::size_t row = 0; row < table_.rows.size(); ++row) readRow(row);
        if (rows_.empty()) throw InputError(file_, "", "the table has no row", "a row for each pass");
        TabledOrder order;
        ExplicitSchedule spelled;
        for (const auto& [device, tasks] : rows_)
            for (const auto& [position, operation] : tasks)
                for (const Task& task : operation) {
                    spelled.slices = std::max(spelled.slices, task.slice + 1);
                    spelled.orders[device].push_back(task);
                    hold(order, task.stage, device);
                }
        spelled.vocabulary = vocabularyNamed(spelled);
        order.schedule.order = std::move(spelled);
        for (std::size_t stage = 0; stage < order.devices.size(); ++stage)
            if (order.devices[stage].empty())
                throw InputError(file_, "", "no device runs stage " + std::to_string(stage),
                                 "stages that are counted from 0");
        order.copies.assign(order.devices.size(), 0);
        for (const auto& [stage, copy] : copies_) order.copies[at(stage)] = copy;
        return order;
    }

private:
    [[noreturn]] void fail(std::size_t row, const std::string& problem, const std::string& expected) const {
        throw InputError(file_, "line " + std::to_string(table_.lines[row]), problem, expected);
    }

    const std::string& cell(std::size_t row, std::size_t column) const {
        return table_.rows[row][columns_[column]];
    }

    void readRow(std::size_t row) {
        const int device = cluster_.deviceIndex(cell(row, 0));
        if (device < 0) fail(row, "no device " + inQuotes(cell(row, 0)), "the id of a device of the cluster");
        const std::optional<int> position = wholeInteger(cell(row, 1));
        if (!position || *position < 0)
            fail(row, inQuotes(cell(row, 1)) + " is no position", "a number from 0");
        std::vector<Task> operation = operationOf(cell(row, 2));
        if (operation.empty()) fail(row, inQuotes(cell(row, 2)) + " is no operation", operationShape);
        readCopy(row, operation);
        if (!rows_[device].emplace(*position, std::move(operation)).second)
            fail(row, "the device has position " + cell(row, 1) + " twice", "each position of a device once");
    }

    /// Of a pair the copy of its forward; that of its backward is said where that stage runs a forward.
    void readCopy(std::size_t row, const std::vector<Task>& operation) {
        if (!copyColumn_) return;
        const std::string& text = table_.rows[row][*copyColumn_];
        const std::optional<int> copy = wholeInteger(text);
        if (!copy || *copy < 0) fail(row, inQuotes(text) + " is no copy", "a number from 0");
        const int stage = operation.front().stage;
        if (const auto known = copies_.emplace(stage, *copy).first; known->second != *copy)
            fail(row,
                 "stage " + std::to_string(stage) + " is of copy " + text + " and of copy " +
                     std::to_string(known->second),
                 "a stage of one copy");
    }

    static void hold(TabledOrder& order, int stage, int device) {
        if (at(stage) >= order.devices.size()) order.devices.resize(at(stage) + 1);
        std::vector<int>& devices = order.devices[at(stage)];
        if (std::find(devices.begin(), devices.end(), device) == devices.end()) devices.push_back(device);
    }

    CsvTable table_;
    const std::string& file_;
    const Cluster& cluster_;
    std::size_t columns_[std::size(columnNames)] = {};
    std::optional<std::size_t> copyColumn_;
    std::map<int, int> copies_;                             ///< by stage, as far as they are said
    std::map<int, std::map<int, std::vector<Task>>> rows_;  ///< [device][position]
};

}  // namespace

std::string writeOrderTable(const Plan& plan, const Cluster& cluster) {
    const auto* order = std::get_if<ExplicitSchedule>(&plan.schedule.order);
    if (!order) throw std::invalid_argument("the plan does not spell out what each device runs");
    const bool copies = plan.pipelineCount() > 1;
    std::string text = std::string("device,position,operation") + (copies ? ",copy\n" : "\n");
    for (const auto& [device, tasks] : order->orders) {
        int position = 0;
        auto task = tasks.begin();
        for (const std::string& operation : orderTexts(tasks, true, order->slices)) {
            text +=
                csvCell(cluster.devices[at(device)].id) + "," + std::to_string(position++) + "," + operation;
            if (copies) text += "," + std::to_string(plan.stages[at(task->stage)].pipeline);
            text += "\n";
            for (++task; task != tasks.end() && task->paired;) ++task;
        }
    }
    return text;
}

bool isOrderTable(std::string_view text) {
    const std::string_view header = firstLine(text);
    return std::all_of(std::begin(columnNames), std::end(columnNames),
                       [&](std::string_view name) { return header.find(name) != std::string_view::npos; });
}

TabledOrder readOrderTable(std::string_view text, const std::string& file, const Cluster& cluster) {
    return TableReader(text, file, cluster).read();
}

}  // namespace stagecraft::formats
