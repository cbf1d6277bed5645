#pragma once

#include "core/formats/native/formats.h"
#include "core/model/chart_note.h"
#include "core/model/kept_figure.h"
#include "core/model/plan.h"
#include "core/model/plan_origin.h"
#include "core/model/recorded_files.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// A plan and what it is a plan for.
struct PlanFile {
    Problem problem;
    Plan plan;
    PlanOrigin origin{};
    bool operator==(const PlanFile&) const = default;
};

/// What a project file holds; its profile and cluster may be in files of their own.
struct Project {
    std::string name;
    Problem problem;
    std::optional<std::string> profileFile;  ///< relative path as written, if the profile is not inline
    std::optional<std::string> clusterFile;
    std::vector<Plan> plans;
    /// Those on the chart of each plan, in the order of `plans`; empty if there are none at all.
    std::vector<std::vector<ChartNote>> notes{};
    /// Where each plan comes from, in the order of `plans`; empty if nothing is known of any.
    std::vector<PlanOrigin> origins{};
    std::vector<PlanlessAnswer> planless{};  ///< of planners that were asked and gave no plan
    std::vector<KeptFigure> figures{};       ///< names differ
    /// Paths as written: relative to the project's file where they can be.
    std::vector<RecordedFiles> recordings{};
    bool operator==(const Project&) const = default;
};

// Projects and plans (FORMATS.md). `file` is what messages call the text, `directory` is where relative
// {"file": …} references start. All readers throw InputError; none leaves anything half-read.
Project readProject(std::string_view text, const std::string& file, const std::filesystem::path& directory,
                    DrawingMistakes mistakes = DrawingMistakes::refuse);
PlanFile readPlan(std::string_view text, const std::string& file, const std::filesystem::path& directory);
// The same object gives the same bytes.
std::string writeProject(const Project& project);
std::string writePlan(const PlanFile& plan);

/// Opens a profile of any supported format, by content (see files/import.h).
ImportedProfile openProfile(const std::filesystem::path& path);
/// A native cluster or a topology, with what the latter leaves out assumed (files/import.h says more).
Cluster openCluster(const std::filesystem::path& path);
Project openProject(const std::filesystem::path& path, DrawingMistakes mistakes = DrawingMistakes::refuse);
PlanFile openPlan(const std::filesystem::path& path);
/// What a project calls itself, by the beginning of its file: a large one is not read for it, and what
/// follows may be faulty. Empty: no name there, or no project.
std::string nameOfProject(const std::filesystem::path& path);

}  // namespace stagecraft::formats
