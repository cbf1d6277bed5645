#pragma once

#include "core/programs/custom_schedule.h"
#include "core/programs/family_program.h"

#include <memory>
#include <variant>

namespace stagecraft::programs {

/// A schedule that a plan can be put under, wherever it comes from: a built-in family, a program that answers
/// orders, or an order that was kept under a name.
class AnyFamily {
public:
    explicit AnyFamily(const ScheduleFamily& family) : family_(&family) {}
    explicit AnyFamily(FamilyProgram program)
        : family_(std::make_shared<const FamilyProgram>(std::move(program))) {}
    explicit AnyFamily(CustomSchedule schedule)
        : family_(std::make_shared<const CustomSchedule>(std::move(schedule))) {}

    /// What --schedule calls it: of a kept order its name.
    std::string id() const;
    std::string title() const;  ///< in a word or two
    std::string about() const;  ///< a sentence or less, with the paper of a built-in family
    std::vector<Parameter> settings() const;
    /// nullptr unless it is built in.
    const ScheduleFamily* builtIn() const;
    /// nullptr unless it was kept.
    const CustomSchedule* custom() const;

    /// The partition of a plan under it, named after both. Says in words why it does not take the partition,
    /// where it does not. @param values of settings() @throws Cancelled
    PlanRun evaluateUnder(const std::shared_ptr<const CostModel>& costs, Plan plan, const std::string& title,
                          const ParameterValues& values, const WorkContext& context = {}) const;
    /// The same with the stages split, joined or copied where a built-in family wants them placed otherwise;
    /// a note says so.
    PlanRun evaluateArranged(const std::shared_ptr<const CostModel>& costs, const Plan& plan,
                             const std::string& title, const ParameterValues& values,
                             const WorkContext& context = {}) const;
    /// Equal numbers of layers under it. @throws std::invalid_argument if they are too few for it, Cancelled
    PlanRun evaluateEqualLayers(const std::shared_ptr<const CostModel>& costs, const ParameterValues& values,
                                const WorkContext& context = {}) const;

private:
    std::variant<const ScheduleFamily*, std::shared_ptr<const FamilyProgram>,
                 std::shared_ptr<const CustomSchedule>>
        family_;
};

/// The built-in families, the orders kept in that folder, and the families of the folder of programs that was
/// read last.
std::vector<AnyFamily> allFamilies(const std::filesystem::path& customSchedules);

}  // namespace stagecraft::programs
