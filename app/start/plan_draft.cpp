#include "app/start/plan_draft.h"

#include "app/document/workspace.h"
#include "core/generation/asked_machines.h"
#include "core/model/profile_sizes.h"
#include "core/model/setup_fields.h"
#include "core/planners/planned_run.h"
#include "core/programs/automatic_project.h"

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

void propose(const PlanRequest& request, const std::string& name, const ParameterValue& value,
             PlanDraft& draft) {
    if (!findParameter(request.model.parameters, name)) return;
    draft.proposed[name] = value;
    if (!request.said.contains(name)) draft.modelValues[name] = value;
}

/// The GPU and the precision that follow from the machines.
void proposeUsual(const PlanRequest& request, const Cluster& cluster, PlanDraft& draft) {
    draft.modelValues = request.modelValues;
    if (const std::string gpu = usualGpuOf(cluster); !gpu.empty()) propose(request, "gpu", gpu, draft);
    const auto gpu = draft.modelValues.find("gpu");
    if (gpu == draft.modelValues.end()) return;
    const std::string precision = usualPrecisionOf(std::get<std::string>(gpu->second));
    if (!precision.empty()) propose(request, "precision", precision, draft);
}

/// Microbatches are of all copies together, which only this plan has: no proposal for others.
void proposeConfigured(const PlanRequest& request, const ConfiguredLayout& layout, PlanDraft& draft) {
    for (const auto& [name, value] : profileValuesOf(*request.configuration, layout)) {
        if (name != "microbatch_size")
            propose(request, name, value, draft);
        else if (findParameter(request.model.parameters, name))
            draft.modelValues[name] = value;
    }
}

PlanDraft configuredDraft(const PlanRequest& request, const WorkContext& context) {
    PlanDraft draft;
    Cluster cluster = request.machines.make(request.machineValues);
    const Configuration& configuration = *request.configuration;
    const std::string& name = request.configurationName;
    const ConfiguredLayout layout = layoutOn(configuration, cluster.deviceCount(), name);
    proposeUsual(request, cluster, draft);
    proposeConfigured(request, layout, draft);
    LayerProfile profile = request.model.make(draft.modelValues);
    if (profile.microbatchSize != layout.microbatchSize)
        profile = profileAtSize(profile, layout.microbatchSize);
    draft.configured = configuredPlan(configuration, layout, std::move(profile), std::move(cluster), name);
    draft.problem = draft.configured->problem;
    const PlanRun run =
        evaluatePlan(std::make_shared<const CostModel>(draft.problem), draft.configured->plan, context);
    if (run.ok())
        draft.check = checkOf(run);
    else
        draft.failure = run.result.reason;
    return draft;
}

}  // namespace

PlanDraft draftOf(const PlanRequest& request, const WorkContext& context) {
    if (request.configuration) return configuredDraft(request, context);
    PlanDraft draft;
    draft.problem = newPlannedProblem();
    draft.problem.cluster = request.machines.make(request.machineValues);
    proposeUsual(request, draft.problem.cluster, draft);
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

AutoQuestion questionOf(const PlanRequest& request, const PlanDraft& draft) {
    AutoQuestion question;
    if (findParameter(request.model.parameters, "microbatch_sizes")) {
        question.source = [make = request.model.make, values = draft.modelValues](
                              int samples, const std::vector<int>& shares) {
            ParameterValues own = values;
            setSampleSizes(own, samples, shares);
            return make(own);
        };
    } else {
        question.source = scaledProfiles(draft.problem.profile);
        question.limits.mostSamples = measuredSizes(draft.problem.profile).back();
    }
    question.problem = searchedProblem(draft.problem);
    question.batch = static_cast<int>(draft.problem.samplesPerIteration());
    return question;
}

Project LayoutSearch::project() const {
    return planners ? automaticProject(answer, *planners) : automaticProject(answer);
}

LayoutSearch searchLayouts(AutoQuestion question, bool withPlanners, const WorkContext& context) {
    LayoutSearch search{std::move(question), {}, {}};
    const AutoQuestion& asked = search.question;
    search.answer =
        AutoSearch(asked.problem, asked.source, asked.batch, asked.threads).best(asked.limits, context);
    if (withPlanners) search.planners = plannersAtDegrees(asked, search.answer.bestValue(), context);
    return search;
}

}  // namespace stagecraft::app::start
