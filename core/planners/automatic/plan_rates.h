#pragma once

#include "core/base/indices.h"
#include "core/planners/automatic/layout_bound.h"
#include "core/planners/automatic/machine_facts.h"
#include "core/planners/automatic/pipeline_layout.h"

#include <vector>

namespace stagecraft::planners {

/// What is to be least: the time of an iteration, or what it costs.
enum class AutoObjective { time, money };

/// In what that is counted: money in dollars where the price of each GPU is known (model::hasPrices), else in
/// GPU seconds, which are what it costs at one price for all GPUs that have a stage.
enum class AutoUnit { seconds, gpuSeconds, dollars };

/// What a plan has at least of what is to be least.
struct ValueBound {
    double value = 0;
    BoundReason reason = BoundReason::work;
};

/// What a second of an iteration counts for: 1, the GPUs that have a stage, or what they cost in a second.
///
/// Of money let v be what a device costs in a second, v0 the least of all, and t what it computes a layer in,
/// or what that takes with all that is sent where it takes least, if that is more. A rank pays all of its
/// devices for the whole iteration, which is no less than its work, so that each device pays at least v t for
/// each microbatch of a layer, and no layer costs less than the least v t of all devices: m sum (min v t) of
/// a copy, for each device of a rank. What ranks wait for, send and update is paid at v0 or more. And a plan
/// on n devices that takes T pays at least T times the n least v.
///
/// If an iteration takes no longer than L, the devices of a kind, c of them, have c L for their work:
/// whatever u >= 0 is added to a kind's v, m sum (min (v + u) t) less the sum of u c L is no more than what
/// is paid, as the dual of sharing layers out over kinds with that much time. Each u in turn is raised to
/// where its kind has no more work than time.
class PlanRates {
public:
    /// Of time.
    PlanRates() = default;
    /// @param mostSeconds that an iteration takes
    PlanRates(AutoObjective objective, const Problem& problem, const MachineFacts& machines,
              double mostSeconds = infinity);

    AutoUnit unit() const { return unit_; }
    /// How many of the machines' orders are looked at: those that differ in prices alone for money only.
    std::size_t orderCount() const { return orderCount_; }
    /// Of a layout on the first devices of one of the machines' orders.
    double of(const PipelineLayout& layout, std::size_t order) const;
    /// Seconds that a microbatch of all layers costs more at v0 than it takes on the fastest devices, at
    /// least.
    /// @param microbatches of all copies
    double moreS(const RankLayers& layers, int microbatches) const;

    /// Of any plan of the layout, whatever the number of ranks. @param moreS of its layers
    ValueBound ofAnyRanks(const LayoutBound& bounds, const PipelineLayout& layout, const TimeBound& least,
                          double moreS) const;
    /// Of any plan of the layout that takes no less than `least`.
    ValueBound ofRanks(const LayoutBound& bounds, const PipelineLayout& layout, const TimeBound& least,
                       double moreS) const;

private:
    /// Devices of one pace and price.
    struct PricedKind {
        double price = 1;  ///< over the least
        int count = 0;
        std::vector<double> seconds = {};  ///< by layer, no less than a microbatch takes there
        double raise = 0;
        double raised() const { return price + raise; }
    };
    std::vector<PricedKind> pricedKinds(const RankLayers& layers) const;
    static double cheapest(const std::vector<PricedKind>& kinds, std::size_t layer, std::size_t besides);
    static double cheapestWorkS(const std::vector<PricedKind>& kinds, double shareS);
    static void raise(std::vector<PricedKind>& kinds, std::size_t kind, double shareS);

    AutoUnit unit_ = AutoUnit::seconds;
    std::size_t orderCount_ = 1;
    double mostSeconds_ = infinity;
    std::vector<double> dollarsPerS_;           ///< by device; empty: not in dollars
    std::vector<std::vector<double>> ofFirst_;  ///< by order and number of devices
    std::vector<double> ofCheapest_;            ///< by number of devices
    double leastDollarsPerS() const { return ofCheapest_[1]; }
};

}  // namespace stagecraft::planners
