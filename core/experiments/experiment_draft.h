#pragma once

#include "core/experiments/axis_draft.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::experiments {

/// An experiment while a person puts it together.
struct ExperimentDraft {
    Experiment experiment;  ///< without axes
    std::vector<AxisDraft> axes;
};

/// What is wrong, and where: "/name", "/axes/2", "/planners", "/claims/0", "/base/…" as in a file.
struct DraftMistake {
    std::string place;
    AxisMistake::Part part = AxisMistake::Part::list;  ///< of an axis
    std::string text;
};

/// What came of a draft: an experiment that can be run, or what prevents it.
struct CheckedDraft {
    std::optional<Experiment> experiment;
    std::vector<DraftMistake> mistakes;
};

/// A model of the zoo on a cluster drawn at random, as in SPP Sec. V-B; SPP alone is asked.
Experiment freshExperiment();
ExperimentDraft draftOf(Experiment experiment);
/// Reads what was typed; takes no longer than a keystroke may.
CheckedDraft checkTexts(const ExperimentDraft& draft);
/// What checkTexts made, on the base that it needs, with the problem of its first point made and its claims
/// read. Takes as long as the base is large.
CheckedDraft checkWhole(Experiment experiment);
/// Both.
CheckedDraft check(const ExperimentDraft& draft);

/// Puts another base under the axes: those over fields that both have stay over them.
void setBase(ExperimentDraft& draft, std::string base);
/// Claims follow.
void renameAxis(ExperimentDraft& draft, std::size_t axis, const std::string& name);
void renamePlanner(ExperimentDraft& draft, std::size_t planner, const std::string& label);
/// A name for a further axis over a field called that.
std::string freshAxisName(const ExperimentDraft& draft, const std::string& wanted);

/// The same experiment in a file of another folder: relative files become absolute.
Experiment movedTo(Experiment experiment, const std::filesystem::path& directory);

}  // namespace stagecraft::experiments
