#include "app/start/plan_draft.h"

#include "app/document/workspace.h"
#include "core/generation/asked_machines.h"
#include "core/model/setup_fields.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::app::start {
namespace {

const Parameter* findParameter(const std::vector<Parameter>& parameters, const std::string& name) {
    const auto found = std::ranges::find(parameters, name, &Parameter::name);
    return found == parameters.end() ? nullptr : &*found;
}

/// How more of the machines are had.
MoreMachines moreOf(const PlanRequest& request) {
    const Parameter* number = findParameter(request.machines.parameters, request.machines.count);
    if (!number) return {};
    return {labelInSentence(number->label), std::get<int>(request.machineValues.at(number->name)),
            static_cast<int>(number->maximum),
            [make = request.machines.make, values = request.machineValues,
             name = number->name](int count) mutable {
                values[name] = count;
                return make(values);
            }};
}

}  // namespace

PlanDraft draftOf(const PlanRequest& request, const WorkContext& context) {
    PlanDraft draft;
    draft.problem = newPlannedProblem();
    draft.problem.cluster = request.machines.make(request.machineValues);
    draft.modelValues = request.modelValues;
    const auto take = [&](const char* name, bool isUsual, const std::string& value) {
        const Parameter* known = findParameter(request.model.parameters, name);
        if (known && isUsual && !value.empty()) draft.modelValues[name] = value;
    };
    take("gpu", request.usualGpu, usualGpuOf(draft.problem.cluster));
    if (const auto gpu = draft.modelValues.find("gpu"); gpu != draft.modelValues.end())
        take("precision", request.usualPrecision, usualPrecisionOf(std::get<std::string>(gpu->second)));
    draft.problem.profile = request.model.make(draft.modelValues);
    draft.problem.setup = usualSetup(draft.problem.setup, draft.problem.profile);
    for (const SetupField& field : setupFields())
        if (const auto value = request.setup.find(field.value.name); value != request.setup.end())
            field.set(draft.problem.setup, value->second);
    if (const auto reason = whyUnplannable(draft.problem)) throw std::invalid_argument(*reason);
    draft.outlook = memoryOutlook(draft.problem, context);
    if (!draft.outlook.fits()) draft.remedies = memoryRemedies(draft.problem, moreOf(request), context);
    return draft;
}

}  // namespace stagecraft::app::start
