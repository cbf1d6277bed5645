#include "core/programs/imported_order.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/editing/plan_edit.h"
#include "core/formats/input_error.h"
#include "core/formats/orders/order_table.h"
#include "core/formats/orders/pipelining_csv.h"
#include "core/runs/chosen_schedule.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace stagecraft::programs {

namespace {

TabledOrder ordersIn(std::string_view text, const std::string& file, const Cluster& cluster) {
    if (isOrderTable(text)) return readOrderTable(text, file, cluster);
    const RankOrders orders = readPipeliningCsv(text, file);
    if (static_cast<int>(orders.ranks.size()) > cluster.deviceCount())
        throw InputError(file, "",
                         "the order is for " + counted(orders.ranks.size(), "rank") +
                             ", and the cluster has " + counted(cluster.deviceCount(), "device"),
                         "a device for each rank");
    ExplicitSchedule spelled;
    TabledOrder result;
    for (std::size_t rank = 0; rank < orders.ranks.size(); ++rank)
        spelled.orders[static_cast<int>(rank)] = orders.ranks[rank];
    spelled.vocabulary = vocabularyNamed(spelled);
    for (const int rank : orders.rankOf()) result.devices.push_back({rank});
    result.copies.assign(result.devices.size(), 0);
    result.schedule = {std::move(spelled)};
    return result;
}

int microbatchesOf(const TabledOrder& order) {
    int most = -1;
    for (const auto& [device, tasks] : std::get<ExplicitSchedule>(order.schedule.order).orders)
        for (const Task& task : tasks) most = std::max(most, task.microbatch);
    return most + 1;
}

/// The stages of one copy of the network, for each copy of the order; empty if the copies do not all have as
/// many.
std::vector<Stage> repeated(const std::vector<Stage>& split, const std::vector<int>& copies) {
    std::vector<Stage> stages;
    std::map<int, std::size_t> next;  // by copy
    for (const int copy : copies) {
        const std::size_t position = next[copy]++;
        if (position == split.size()) return {};
        stages.push_back(split[position]);
        stages.back().pipeline = copy;
    }
    const bool complete =
        std::all_of(next.begin(), next.end(), [&](const auto& held) { return held.second == split.size(); });
    return complete ? stages : std::vector<Stage>{};
}

}  // namespace

int orderedMicrobatches(std::string_view text, const std::string& file, const Cluster& cluster) {
    return microbatchesOf(ordersIn(text, file, cluster));
}

Plan importedOrder(std::string_view text, const std::string& file, const Problem& problem,
                   std::vector<Stage> stages) {
    TabledOrder order = ordersIn(text, file, problem.cluster);
    const auto refuse = [&](const std::string& wrong, const std::string& expected) {
        throw InputError(file, "", wrong, expected);
    };
    const int layers = problem.profile.layerCount(), count = static_cast<int>(order.devices.size());
    const int copies = 1 + *std::max_element(order.copies.begin(), order.copies.end());
    const int each = count / copies;
    if (const int ordered = microbatchesOf(order); ordered != problem.setup.microbatches)
        refuse("the order runs " + counted(ordered, "microbatch", "microbatches") + ", and the setup has " +
                   grouped(problem.setup.microbatches),
               "as many in the setup");
    if (each > layers)
        refuse(
            "the order has " + counted(each, "stage") + ", and the profile has " + counted(layers, "layer"),
            "a layer for each stage");
    if (stages.empty()) stages = runs::equalLayers(layers, std::max(each, 1));
    if (static_cast<int>(stages.size()) == each && copies > 1) {
        stages = repeated(stages, order.copies);
        if (stages.empty())
            refuse("the " + std::to_string(copies) + " copies of the network do not have equally many stages",
                   "as many stages in each");
    }
    if (static_cast<int>(stages.size()) != count)
        refuse("the order has " + counted(count, "stage") + ", and the split has " + grouped(stages.size()),
               "a split into as many stages");
    Plan plan;
    plan.planner = handMade;
    plan.name = std::filesystem::path(file).stem().string();
    plan.stages = std::move(stages);
    for (int stage = 0; stage < count; ++stage) plan.stages[at(stage)].devices = order.devices[at(stage)];
    plan.schedule = std::move(order.schedule);
    return plan;
}

}  // namespace stagecraft::programs
