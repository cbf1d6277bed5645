#pragma once

#include "core/formats/file_kind.h"
#include "core/formats/input_error.h"
#include "core/model/chart_note.h"
#include "core/model/plan.h"
#include "core/model/plan_origin.h"
#include "core/model/problem.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace stagecraft::formats {

/// A plan and what it is a plan for.
struct PlanFile {
    Problem problem;
    Plan plan;
    PlanOrigin origin{};
    bool operator==(const PlanFile&) const = default;
};

/// A part of a project that is in a file of its own.
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
    bool operator==(const Project&) const = default;
};

/// What a person can draw and nobody can plan on: two devices with one id, a link from a device to itself, a
/// bandwidth of 0. The window keeps them, so that half-drawn work can be saved; everybody else refuses them.
enum class DrawingMistakes { refuse, keep };

// Native formats (FORMATS.md). `file` is what messages call the text. All throw InputError; none leaves
// anything half-read.
LayerProfile readProfile(std::string_view text, const std::string& file);
Cluster readCluster(std::string_view text, const std::string& file,
                    DrawingMistakes mistakes = DrawingMistakes::refuse);
/// `directory` is where relative {"file": …} references start.
Project readProject(std::string_view text, const std::string& file, const std::filesystem::path& directory,
                    DrawingMistakes mistakes = DrawingMistakes::refuse);
PlanFile readPlan(std::string_view text, const std::string& file, const std::filesystem::path& directory);

// The same object gives the same bytes.
std::string writeProfile(const LayerProfile& profile);
std::string writeCluster(const Cluster& cluster);
std::string writeProject(const Project& project);
std::string writePlan(const PlanFile& plan);

/// What an importer took, derived, grouped, ignored, or assumed because nothing said it.
struct ImportNote {
    enum class Kind { took, derived, grouped, ignored, assumed } kind = Kind::took;
    std::string text;
};

/// A division into stages that came with a profile: a person's, or another planner's.
struct ImportedSplit {
    struct Part {
        int firstLayer = 0;
        int lastLayer = 0;  ///< included
        int replicas = 1;
    };
    std::string name;         ///< for people
    std::vector<Part> parts;  ///< all layers, in order

    int deviceCount() const;
};

struct ImportedProfile {
    LayerProfile profile;
    std::vector<ImportNote> notes;
    std::vector<ImportedSplit> splits;
};

/// Whole file as text. @throws InputError if it cannot be read or is larger than 1 GiB.
std::string readTextFile(const std::filesystem::path& path);
/// Writes beside the target and renames, so that a crash leaves the old file. @throws InputError
void writeFileAtomically(const std::filesystem::path& path, std::string_view bytes);

/// Opens a profile of any supported format, by content (see profiles/import.h).
ImportedProfile openProfile(const std::filesystem::path& path);
/// A native cluster or a topology, with what the latter leaves out assumed (topology/import.h says more).
Cluster openCluster(const std::filesystem::path& path);
Project openProject(const std::filesystem::path& path, DrawingMistakes mistakes = DrawingMistakes::refuse);
PlanFile openPlan(const std::filesystem::path& path);

}  // namespace stagecraft::formats
