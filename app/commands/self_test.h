#pragma once

#include "app/document/samples.h"
#include "core/runs/plan_run.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace stagecraft::app::commands {

/// What came of one check of the self-test.
struct SelfCheck {
    std::string name;     ///< what was checked: "sample fig2-toy", "figure format pdf"
    std::string found;    ///< how far that goes, in words: "3 plans, 1240 blocks"
    std::string failure;  ///< empty: it holds

    bool ok() const { return failure.empty(); }
};

/// Checks an installed program by itself: what travels with it is there, each sample's plans are simulated
/// and validated, and whatever the registries offer as a figure, a table or a movie is written once. Needs an
/// application (ensureApplication()) and no file but those that it writes.
class SelfTest {
public:
    using Tell = std::function<void(const SelfCheck&)>;

    /// @param samples that are planned
    /// @param folder in which figures are written; it is there
    SelfTest(std::vector<Sample> samples, std::filesystem::path folder);

    /// Makes every check and tells of each as soon as it is made, from this thread.
    /// @param complete whether a format that none of the samples' plans can be written as is a failure
    /// @return how many there were, and how many of them failed
    std::pair<int, int> run(bool complete, const Tell& tell);

private:
    using Run = std::shared_ptr<const PlanRun>;
    /// A way to write a plan: done, or why it could not be so far.
    using Ways = std::map<std::string, std::optional<std::string>>;

    void check(const std::string& name, const std::function<std::string()>& work);
    void checkShipped();
    void checkSamples();
    void checkPlanners();
    void checkFigures();
    void checkTables(bool complete);
    void checkMovies();
    void writeTables(const Run& run, Ways& ways) const;

    std::vector<Sample> samples_;
    std::filesystem::path folder_;
    std::vector<Run> runs_;  ///< of all samples but those too large to be drawn, the smallest first
    Tell tell_;
    int made_ = 0, failed_ = 0;
};

/// The plans that a project has, and after them that of the first planner that has one, simulated and
/// validated.
/// @throws std::runtime_error that says which plan does not hold, and why
std::vector<std::shared_ptr<const PlanRun>> checkedRuns(const Project& project);

}  // namespace stagecraft::app::commands
