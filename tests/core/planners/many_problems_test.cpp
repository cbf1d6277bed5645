// Random problems, every planner, every schedule family: each plan is valid or refused in words, keeps its
// proven bounds, is the same on several threads, after saving and loading, under other names of the devices,
// and is not lost when devices get more memory. STAGECRAFT_PROBLEMS says how many, STAGECRAFT_SEED from which
// on.

#include "core/analysis/what_bounds.h"
#include "core/editing/plan_edit.h"
#include "core/formats/files/project_file.h"
#include "core/planners/planned_run.h"
#include "core/schedules/families.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"
#include "tests/support/test_extent.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <map>
#include <mutex>
#include <random>
#include <thread>

namespace stagecraft {
namespace {

int numberFrom(const char* variable, int otherwise) {
    const char* text = std::getenv(variable);
    return text ? std::atoi(text) : otherwise;
}

/// A problem of what planners meet: small, with ties, at times short of memory, skewed or without a barrier.
Problem drawnProblem(std::mt19937& random) {
    Problem problem = random_problem::problem(random, 1 + random_problem::upTo(random, 7),
                                              1 + random_problem::upTo(random, 5));
    if (random() % 5 == 0) problem = random_problem::onUnlikeGpus(random, std::move(problem));
    if (random() % 3 == 0) problem = random_problem::underSetupOfToday(random, std::move(problem));
    if (random() % 4 == 0) {
        problem.setup.mode = TrainingMode::asynchronous;
        problem.setup.updateBytesPerS = 0;
    }
    if (random() % 4 == 0) problem.setup.network = LinkSharing::shared;
    if (random() % 6 == 0) problem.setup.recomputation = Recomputation::full;
    if (random() % 2) {
        const double bytes = 40 << random_problem::upTo(random, 4);
        for (Device& device : problem.cluster.devices) device.memoryBytes = bytes * (1 + random() % 2);
    }
    const int layers = problem.profile.layerCount();
    if (layers > 2 && random() % 4 == 0)
        for (int to = 1; to < layers; ++to) {
            problem.profile.edges.push_back({to - 1, to});
            if (const int from = random_problem::upTo(random, to - 1); from < to - 1)
                problem.profile.edges.push_back({from, to});
        }
    // A chain that is spelled out is saved as one that is not.
    if (problem.profile.edges.size() + 1 == static_cast<std::size_t>(layers)) problem.profile.edges.clear();
    return problem;
}

struct Asked {
    const Planner* planner;
    ParameterValues values;
};

/// Each planner with choices of its parameters, and the search for schedules with each family.
std::vector<Asked> drawnPlanners(std::mt19937& random) {
    std::vector<Asked> asked;
    for (const auto& planner : allPlanners()) {
        ParameterValues values = defaultValues(planner->description().parameters);
        for (const Parameter& parameter : planner->description().parameters)
            if (!parameter.choices.empty() && random() % 2)
                values[parameter.name] = parameter.choices[random() % parameter.choices.size()];
        asked.push_back({planner.get(), values});
        if (!planner->description().choosesSchedule) continue;
        for (const ScheduleFamily& family : scheduleFamilies()) {
            values["family"] = family.id;
            asked.push_back({planner.get(), values});
        }
    }
    return asked;
}

/// What comes of one problem: what is wrong, and numbers that tell two answers apart.
struct Outcome {
    std::vector<std::string> wrong;
    std::string answers;
};

/// How many of what came out, and how often each reason was given, over all problems.
class Tally {
public:
    void add(PlanStatus status, const std::string& id, std::string reason) {
        // Reasons differ in their numbers alone.
        std::string kind;
        for (const char letter : reason) {
            const bool digit = (letter >= '0' && letter <= '9') || letter == '.';
            if (!digit)
                kind += letter;
            else if (kind.empty() || kind.back() != '#')
                kind += '#';
        }
        const std::lock_guard lock(mutex_);
        ++counts_[static_cast<int>(status)];
        if (status == PlanStatus::failed) ++failures_[id + ": " + kind.substr(0, 160)];
    }
    void print() const {
        std::cerr << counts_[0] << " plans, " << counts_[1] << " refused as infeasible, " << counts_[2]
                  << " refused by the engine\n";
        for (const auto& [reason, count] : failures_) std::cerr << "  " << count << " × " << reason << '\n';
    }

private:
    std::mutex mutex_;
    int counts_[3] = {};
    std::map<std::string, int> failures_;
};

class OneProblem {
public:
    OneProblem(unsigned seed, Tally* tally) : random_(seed), problem_(drawnProblem(random_)), tally_(tally) {}

    Outcome outcome() {
        costs_ = std::make_shared<const CostModel>(problem_);
        std::vector<std::pair<Plan, std::string>> plans;
        for (const Asked& asked : drawnPlanners(random_)) {
            who_ = asked.planner->description().id;
            if (const auto family = asked.values.find("family"); family != asked.values.end())
                who_ += " " + toText(*findParameter(asked, "family"), family->second);
            const PlanRun run = runAndEvaluate(*asked.planner, costs_, asked.values);
            check(run);
            if (!run.ok()) continue;
            checkSavedAndLoaded(run);
            checkOtherNames(asked, run);
            checkMoreMemory(asked);
            plans.emplace_back(run.result.plan, who_);
        }
        // The plans of some, with every family.
        for (std::size_t i = random_() % 4; i < plans.size(); i += 7)
            for (const ScheduleFamily& family : scheduleFamilies()) {
                Plan other = plans[i].first;
                // Two versions are enough where an iteration fills the pipeline (PipeDream-2BW, Sec. 3.1);
                // the validator refuses others.
                if (other.weights.kind == WeightPolicyKind::doubleBuffer &&
                    setupOf(other, problem_.setup).microbatches < other.stageCount())
                    continue;
                other.schedule.order = FamilySchedule{family.id, {}};
                other.schedule.splitBackward = family.backward == BackwardTasks::split;
                other.claims = {};
                who_ = plans[i].second + " under " + family.id;
                check(evaluateEdited(costs_, other));
            }
        return std::move(outcome_);
    }

private:
    static const Parameter* findParameter(const Asked& asked, const std::string& name) {
        for (const Parameter& parameter : asked.planner->description().parameters)
            if (parameter.name == name) return &parameter;
        return nullptr;
    }
    void refuse(const std::string& what) { outcome_.wrong.push_back(who_ + ": " + what); }
    void check(const PlanRun& run);
    void checkSavedAndLoaded(const PlanRun& run);
    void checkOtherNames(const Asked& asked, const PlanRun& run);
    void checkMoreMemory(const Asked& asked);

    std::mt19937 random_;
    Problem problem_;
    Tally* tally_;
    std::shared_ptr<const CostModel> costs_;
    std::string who_;  ///< planner and family
    Outcome outcome_;
};

void OneProblem::check(const PlanRun& run) {
    if (tally_) tally_->add(run.result.status, who_, run.result.reason);
    if (!run.ok()) {
        const std::string& reason = run.result.reason;
        outcome_.answers += who_ + ": " + reason + "\n";
        if (reason.find(' ') == std::string::npos || reason.find("::") != std::string::npos)
            refuse("is refused without words: '" + reason + "'");
        return;
    }
    const Metrics& metrics = run.evaluation->metrics;
    outcome_.answers += who_ + ": " + std::to_string(metrics.iterationTimeS) + "\n";
    if (!run.evaluation->valid()) refuse(run.evaluation->violations.front().message);
    const double timeS = metrics.iterationTimeS;
    if (!(timeS > 0) || !std::isfinite(timeS)) refuse("takes " + std::to_string(timeS) + " s");
    for (const LowerBound* bound : {&metrics.problemBound, &metrics.planBound})
        if (timeS < bound->seconds * (1 - 1e-9))
            refuse("takes " + std::to_string(timeS) + " s, less than the bound of " +
                   std::to_string(bound->seconds) + " s");
    const WhatBounds bounds =
        whatBounds(*run.costs, run.result.plan, run.evaluation->timeline, metrics, run.microbatchesAsked);
    if (bounds.reasons.empty()) refuse("nothing is said of what bounds it");
    if (bounds.contention && (bounds.contention->blocks.empty() || bounds.contention->link.empty()))
        refuse("what is contended is not named");
    for (const Guarantee& guarantee : run.result.guarantees)
        if (guarantee.holds && guarantee.boundS > 0 && timeS > guarantee.boundS * (1 + 1e-9))
            refuse("takes " + std::to_string(timeS) + " s, more than " + guarantee.name +
                   " allows: " + std::to_string(guarantee.boundS) + " s");
}

void OneProblem::checkSavedAndLoaded(const PlanRun& run) {
    const PlanFile saved{problem_, run.result.plan, originOf(run)};
    const std::string text = writePlan(saved);
    const PlanFile loaded = readPlan(text, "saved", {});
    if (!(loaded.plan == saved.plan)) refuse("the plan is another after saving and loading");
    if (!(loaded.problem == problem_)) refuse("the problem is another after saving and loading");
    if (writePlan(loaded) != text) refuse("the file is another after loading and saving");
    const PlanRun again =
        reopenPlan(std::make_shared<const CostModel>(loaded.problem), loaded.plan, loaded.origin);
    if (!again.ok() || again.evaluation->metrics.iterationTimeS != run.evaluation->metrics.iterationTimeS)
        refuse("after saving and loading it takes another time" + again.result.reason);
}

/// Which device is called what makes no difference: tie rules go by the place in the file.
void OneProblem::checkOtherNames(const Asked& asked, const PlanRun& run) {
    Problem renamed = problem_;
    const std::size_t count = renamed.cluster.devices.size();
    std::map<std::string, std::string> names;
    for (std::size_t i = 0; i < count; ++i)
        names[problem_.cluster.devices[i].id] = problem_.cluster.devices[(i + 1) % count].id;
    for (Device& device : renamed.cluster.devices) device.id = names.at(device.id);
    for (Link& link : renamed.cluster.links)
        for (std::string* end : {&link.a, &link.b})
            if (const auto found = names.find(*end); found != names.end()) *end = found->second;
    const PlanningResult other =
        runAndEvaluate(*asked.planner, std::make_shared<const CostModel>(renamed), asked.values).result;
    if (other.status != PlanStatus::ok || !(other.plan == run.result.plan))
        refuse("plans otherwise when devices have other names " + other.reason);
}

void OneProblem::checkMoreMemory(const Asked& asked) {
    Problem more = problem_;
    for (Device& device : more.cluster.devices) device.memoryBytes *= 2;
    const PlanningResult other = runPlanner(*asked.planner, CostModel(more), asked.values);
    if (other.status != PlanStatus::ok) refuse("twice the memory makes it infeasible: " + other.reason);
}

std::vector<Outcome> outcomesOf(unsigned first, std::size_t count, std::size_t threads, Tally* tally) {
    std::vector<Outcome> outcomes(count);
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < threads; ++i)
        workers.emplace_back([&] {
            for (std::size_t each = next++; each < count; each = next++) {
                try {
                    outcomes[each] = OneProblem(first + static_cast<unsigned>(each), tally).outcome();
                } catch (const std::exception& error) {
                    outcomes[each].wrong.push_back(std::string("threw: ") + error.what());
                }
                // At once: all of them take long.
                for (const std::string& wrong : outcomes[each].wrong)
                    std::cerr << "problem " << first + each << ": " << wrong << std::endl;
                if ((each + 1) % 500 == 0) std::cerr << each + 1 << " problems\n";
            }
        });
    workers.clear();
    return outcomes;
}

TEST(ManyProblems, EveryPlannerAndFamilyAnswersEachInEarnest) {
    const auto count =
        static_cast<std::size_t>(numberFrom("STAGECRAFT_PROBLEMS", testing::inFull() ? 200 : 8));
    const int drawn = numberFrom("STAGECRAFT_SEED", static_cast<int>(std::time(nullptr) % 1'000'000) * 1000);
    const auto first = static_cast<unsigned>(drawn);
    const std::size_t several = 8;
    Tally tally;
    const std::vector<Outcome> alone = outcomesOf(first, count, count > 100 ? 2 : 1, &tally);
    for (std::size_t i = 0; i < count; ++i)
        for (const std::string& wrong : alone[i].wrong)
            ADD_FAILURE() << "STAGECRAFT_PROBLEMS=1 STAGECRAFT_SEED=" << first + i << ": " << wrong;
    const std::size_t share = std::max<std::size_t>(count / 10, 2);
    const std::vector<Outcome> together = outcomesOf(first, share, several, nullptr);
    const std::vector<Outcome> single = outcomesOf(first, share, 1, nullptr);
    for (std::size_t i = 0; i < share; ++i) {
        EXPECT_EQ(together[i].answers, single[i].answers) << first + i;
        EXPECT_EQ(alone[i].answers, single[i].answers) << first + i;
    }
    if (count > 100) tally.print();
}

}  // namespace
}  // namespace stagecraft
