#include "core/schedules/order_difference.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace stagecraft::schedules {

namespace {

/// A pass without regard to what it overlaps.
using PassName = std::tuple<TaskKind, int, int, int>;
PassName nameOf(const Task& task) { return {task.kind, task.stage, task.microbatch, task.slice}; }

/// An order as it is compared.
struct ComparedOrder {
    std::vector<Task> tasks;
    std::vector<std::size_t> places;  ///< of each in the order that it was made of
};

/// @param apart whole backwards as input and weight gradient
ComparedOrder comparedOrder(const std::vector<Task>& order, bool apart) {
    ComparedOrder result;
    for (std::size_t place = 0; place < order.size(); ++place) {
        Task task = order[place];
        if (task.kind == TaskKind::recompute) continue;
        const bool splits = apart && task.kind == TaskKind::backward;
        if (splits) task.kind = TaskKind::inputGradient;
        result.tasks.push_back(task);
        result.places.push_back(place);
        if (!splits) continue;
        task.kind = TaskKind::weightGradient;
        task.paired = false;
        result.tasks.push_back(task);
        result.places.push_back(place);
    }
    return result;
}

std::set<PassName> passNames(const std::vector<Task>& order) {
    std::set<PassName> names;
    for (const Task& task : order)
        if (task.kind != TaskKind::recompute) names.insert(nameOf(task));
    return names;
}

/// Whether a backward is whole in one and not in the other.
bool splitsDiffer(const std::set<PassName>& a, const std::set<PassName>& b) {
    const auto lacksWhole = [](const std::set<PassName>& names, const std::set<PassName>& others) {
        return std::any_of(names.begin(), names.end(), [&](const PassName& name) {
            return std::get<TaskKind>(name) == TaskKind::backward && !others.contains(name);
        });
    };
    return lacksWhole(a, b) || lacksWhole(b, a);
}

/// The fewest entries that have to be taken out and put in elsewhere, or are in one of both alone.
int movedBetween(const std::vector<Task>& order, const std::vector<Task>& reference) {
    std::map<PassName, std::size_t> placeOf;
    for (std::size_t i = 0; i < reference.size(); ++i) placeOf.emplace(nameOf(reference[i]), i);
    std::vector<std::size_t> tails;  // of the increasing subsequences of each length, the least last place
    std::size_t common = 0;
    for (const Task& task : order) {
        const auto found = placeOf.find(nameOf(task));
        if (found == placeOf.end()) continue;
        ++common;
        const auto tail = std::lower_bound(tails.begin(), tails.end(), found->second);
        if (tail == tails.end())
            tails.push_back(found->second);
        else
            *tail = found->second;
    }
    return static_cast<int>((order.size() - common) + (reference.size() - common) + (common - tails.size()));
}

const std::vector<Task>& orderAt(const OrdersByDevice& orders, int device) {
    static const std::vector<Task> none;
    const auto found = orders.find(device);
    return found == orders.end() ? none : found->second;
}

/// The lowest device of each order: no two others run the same pass.
std::vector<int> devicesOf(const OrdersByDevice& orders, const OrdersByDevice& reference) {
    std::set<PassName> known;
    std::set<int> all, lowest;
    for (const OrdersByDevice* each : {&orders, &reference})
        for (const auto& [device, order] : *each) all.insert(device);
    for (const int device : all) {
        const std::vector<Task>& own = orderAt(orders, device);
        const std::vector<Task>& order = own.empty() ? orderAt(reference, device) : own;
        if (!order.empty() && known.insert(nameOf(order.front())).second) lowest.insert(device);
    }
    return {lowest.begin(), lowest.end()};
}

bool samePairs(const std::vector<Task>& a, const std::vector<Task>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Task& x, const Task& y) { return x.paired == y.paired; });
}

}  // namespace

OrderDifference differenceOf(const OrdersByDevice& orders, const OrdersByDevice& reference) {
    OrderDifference difference;
    std::vector<int> devices = devicesOf(orders, reference);
    std::erase_if(devices, [&](int device) { return orderAt(orders, device) == orderAt(reference, device); });
    bool apart = false;
    for (const int device : devices) {
        const std::set<PassName> own = passNames(orderAt(orders, device)),
                                 others = passNames(orderAt(reference, device));
        difference.sameBlocks = difference.sameBlocks && own == others;
        apart = apart || splitsDiffer(own, others);
    }
    for (const int device : devices) {
        const ComparedOrder order = comparedOrder(orderAt(orders, device), apart),
                            wanted = comparedOrder(orderAt(reference, device), apart);
        const auto [own, others] =
            std::mismatch(order.tasks.begin(), order.tasks.end(), wanted.tasks.begin(), wanted.tasks.end(),
                          [](const Task& a, const Task& b) { return nameOf(a) == nameOf(b); });
        if (own == order.tasks.end() && others == wanted.tasks.end()) {
            difference.sameBlocks = difference.sameBlocks && samePairs(order.tasks, wanted.tasks);
            continue;
        }
        DeviceDifference& here = difference.devices.emplace_back();
        here.device = device;
        here.moved = movedBetween(order.tasks, wanted.tasks);
        const auto place = static_cast<std::size_t>(own - order.tasks.begin());
        here.place = own == order.tasks.end() ? orderAt(orders, device).size() : order.places[place];
        if (own != order.tasks.end()) here.found = *own;
        if (others != wanted.tasks.end()) here.expected = *others;
        difference.moved += here.moved;
    }
    return difference;
}

int passesOf(const OrdersByDevice& orders) {
    int passes = 0;
    for (const int device : devicesOf(orders, {}))
        passes += static_cast<int>(comparedOrder(orderAt(orders, device), false).tasks.size());
    return passes;
}

}  // namespace stagecraft::schedules
