#include "core/lessons/judge.h"
#include "core/planners/planned_run.h"

#include "core/analysis/metric_catalogue.h"
#include "core/base/quantity.h"
#include "core/base/units.h"
#include "core/cost/sample_shares.h"
#include "core/model/model_names.h"
#include "core/runs/cautions.h"
#include "core/runs/chosen_schedule.h"
#include "core/runs/standing.h"
#include "core/schedules/families.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stagecraft::lessons {

namespace {

const Plan& planOf(const Project& project, const std::string& title) {
    for (const Plan& plan : project.plans)
        if (plan.name == title || (plan.name.empty() && plan.planner == title)) return plan;
    throw std::invalid_argument("the lesson's project has no plan '" + title + "'");
}

Plan planUnder(const Plan& plan, const std::string& schedule) {
    if (schedule.empty()) return plan;
    const ScheduleFamily& family = *findScheduleFamily(schedule);
    return underSchedule(plan, family, defaultValues(settingsOf(family)));
}

double metricOf(const std::string& id, const PlanRun& run) {
    const auto value = catalogueMetric(id).of(run.measured());
    if (!value) throw std::invalid_argument("the plan has no " + id);
    return *value;
}

PlanRun simulated(Problem problem, const Plan& plan) {
    PlanRun run = evaluatePlan(std::make_shared<const CostModel>(std::move(problem)), plan);
    if (!run.ok()) throw std::invalid_argument("the plan cannot run: " + run.result.reason);
    return run;
}

bool isShare(const Metric& metric) {
    return metric.unit.empty() && metric.id.find("fraction") != std::string_view::npos;
}

constexpr double rounding = 1e-9;  // of sums of the same times in another order

/// How many of a question's units are in the metric's.
double unitsPer(const Question& question) {
    const auto* measured = std::get_if<Measured>(&question.number);
    if (!measured) return 1;
    const Metric& metric = catalogueMetric(measured->metric);
    return isShare(metric) ? 100 : 1;
}

}  // namespace

Project projectFor(const Project& sample, const WindowSetting& setting) {
    Project project = sample;
    if (!setting.keep.empty()) {
        std::vector<Plan> kept;
        for (const std::string& title : setting.keep) kept.push_back(planOf(sample, title));
        project.plans = std::move(kept);
        project.notes.clear();
    }
    TrainingSetup& setup = project.problem.setup;
    if (setting.microbatches) setup.microbatches = *setting.microbatches;
    if (setting.memoryLimitBytes) setup.memoryLimitBytes = *setting.memoryLimitBytes;
    if (!setting.channel.empty()) setup.channel = *findByName(channelModeNames, setting.channel);
    // Whom they were made by, and for which problem, is not the lesson's subject.
    project.origins.clear();
    return project;
}

PlanRun runOf(const Project& project, const Measured& measured) {
    Problem problem = project.problem;
    if (measured.microbatches) problem.setup.microbatches = *measured.microbatches;
    if (!measured.channel.empty()) problem.setup.channel = *findByName(channelModeNames, measured.channel);
    return simulated(std::move(problem), planUnder(planOf(project, measured.plan), measured.schedule));
}

double measure(const Project& project, const Measured& measured) {
    return metricOf(measured.metric, runOf(project, measured));
}

double answerTo(const Question& question, const Project& project) {
    if (const auto* measured = std::get_if<Measured>(&question.number))
        return measure(project, *measured) * unitsPer(question);
    return std::get<double>(question.number);
}

std::optional<Quantity> quantityOf(const std::string& unit) {
    for (const Quantity quantity : {Quantity::seconds, Quantity::bytes}) try {
            parseQuantity(quantity, "1 " + unit);
            return quantity;
        } catch (const std::invalid_argument&) {
        }
    return std::nullopt;
}

bool isRight(const Question& question, double answer, const std::string& text) {
    std::string number = text;
    while (!number.empty() && (number.back() == '%' || number.back() == ' ')) number.pop_back();
    std::replace(number.begin(), number.end(), ',', '.');
    const std::optional<Quantity> quantity = question.unit.empty() ? std::nullopt : quantityOf(question.unit);
    const bool isBare = number.find_first_not_of("0123456789.eE+-/ ") == std::string::npos;
    double given = 0;
    if (isBare) {
        const std::size_t bar = number.find('/');
        given = parseQuantity(Quantity::plain, number.substr(0, bar));
        if (bar != std::string::npos) given /= parseQuantity(Quantity::plain, number.substr(bar + 1));
        // A number alone is in the unit in which the answer is shown.
        if (question.unit == "s" || question.unit == "B")
            given *= parseQuantity(*quantity, std::string("1 ") + shownUnit(*quantity, answer).symbol);
    } else if (quantity) {
        given = parseQuantity(*quantity, number) / parseQuantity(*quantity, "1 " + question.unit);
    } else {
        if (number.ends_with(question.unit)) number.resize(number.size() - question.unit.size());
        given = parseQuantity(Quantity::plain, number);
    }
    return std::fabs(given - answer) <= std::fabs(answer) * question.tolerance + 1e-12;
}

std::string answerText(const Question& question, double answer) {
    if (question.unit == "s") return roundedText(Quantity::seconds, answer);
    if (question.unit == "B") return roundedText(Quantity::bytes, answer);
    const bool percent = unitsPer(question) > 1;
    return formatNumber(answer) + (percent ? " %" : question.unit.empty() ? "" : " " + question.unit);
}

Judge::Judge(Exercise exercise, const Project& project)
    : exercise_(std::move(exercise)), problem_(project.problem), startPlan_(planOf(project, exercise_.plan)) {
    const PlanRun start = simulated(problem_, startPlan_);
    start_ = metricOf(exercise_.metric, start);
    startSplitsSamples_ = !splitSamples(*start.costs, startPlan_).empty();
    if (exercise_.best) learn({*exercise_.best, {}, {}});
    std::optional<Plan> best;
    if (!exercise_.bestPlan.empty()) best = planOf(project, exercise_.bestPlan);
    if (!exercise_.bestSchedule.empty()) best = planUnder(startPlan_, exercise_.bestSchedule);
    if (!best) return;
    const double value = metricOf(exercise_.metric, simulated(problem_, *best));
    const std::string& how = exercise_.bestSchedule;
    learn({value, how.empty() ? exercise_.bestPlan : shortTitle(*findScheduleFamily(how)), std::move(best)});
}

std::optional<double> Judge::valueOf(const PlanRun& run) const {
    if (!objection(run).empty()) return std::nullopt;
    return catalogueMetric(exercise_.metric).of(run.measured());
}

bool Judge::isBetter(double value, double than) const {
    return catalogueMetric(exercise_.metric).better == Better::more ? value > than * (1 + rounding)
                                                                    : value < than * (1 - rounding);
}

void Judge::learn(KnownAnswer answer) {
    const bool isNews = !best_ || isBetter(answer.value, best_->value) ||
                        (!best_->plan && answer.plan && !isBetter(best_->value, answer.value));
    if (isNews) best_ = std::move(answer);
}

std::string Judge::valueText(double value) const {
    const Metric& metric = catalogueMetric(exercise_.metric);
    if (metric.unit == "s") return roundedText(Quantity::seconds, value);
    if (metric.unit == "B") return roundedText(Quantity::bytes, value);
    if (isShare(metric)) return formatPercent(value);
    return formatNumber(value) + (metric.unit.empty() ? "" : " " + std::string(metric.unit));
}

std::string Judge::objection(const PlanRun& now) const {
    if (!now.ok()) return "This plan cannot run: " + now.result.reason;
    if (!now.evaluation->valid())
        return "The validator refuses this plan: " + now.evaluation->violations.front().message;
    const Problem& problem = now.costs->problem();
    const bool sameSetup = problem.setup == setupOf(now.result.plan, problem_.setup) &&
                           now.microbatchesAsked == problem_.setup.microbatches;
    const bool sameRest = problem.cluster == problem_.cluster && problem.profile == problem_.profile;
    if (exercise_.may.empty() && !sameSetup) return "The setup has to stay as it was.";
    if (exercise_.may != "problem" && !sameRest) return "Cluster and profile have to stay as they were.";
    if (exercise_.longestS && now.iterationTimeS() > *exercise_.longestS * (1 + rounding))
        return "It takes " + roundedText(Quantity::seconds, now.iterationTimeS()) + ", more than " +
               roundedText(Quantity::seconds, *exercise_.longestS) + ".";
    if (mayNotRun(now)) return cautionsOn(now).front();
    if (!startSplitsSamples_ && !splitSamples(*now.costs, now.result.plan).empty())
        return "It gives a GPU a part of a sample, which no real run can.";
    if (exercise_.mustFit && standingOf(now) == Standing::doesNotFit) return "It does not fit into memory.";
    return {};
}

Score Judge::judge(const PlanRun& now) const {
    std::string objection = this->objection(now);
    if (!now.ok()) return {0, false, objection};
    if (objection.empty() && exercise_.byHand &&
        std::holds_alternative<FamilySchedule>(now.result.plan.schedule.order))
        objection = "A rule orders the passes of this plan. Move blocks yourself.";
    const double value = metricOf(exercise_.metric, now);
    const bool lessIsBetter = catalogueMetric(exercise_.metric).better != Better::more;
    const double gained = lessIsBetter ? start_ - value : value - start_;
    const double asked = lessIsBetter ? start_ - exercise_.target : exercise_.target - start_;
    const bool reached = !isBetter(exercise_.target, value);
    // A plan that does not count earns half of what it would.
    const double share = reached ? 1 : asked > 0 ? std::clamp(gained / asked, 0.0, 1.0) : 0;
    std::string where = "Now: " + valueText(value) + ". Target: " + valueText(exercise_.target) + ".";
    if (best_) where += " Best known: " + valueText(best_->value) + ".";
    if (!objection.empty()) return {share / 2, false, where + " " + objection};
    if (best_ && isBetter(value, best_->value))
        where += " Yours is better.";
    else if (best_ && !isBetter(best_->value, value))
        where += " Nothing better is known.";
    return {share, reached, where};
}

}  // namespace stagecraft::lessons
