#pragma once

#include "core/model/chart_note.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft::model {

/// A panel of a kept figure.
struct KeptPanel {
    std::string plan;                                  ///< its title
    std::string view = "schedule";                     ///< what of it: PanelView, by name
    std::optional<std::vector<ChartNote>> marks = {};  ///< nothing: the notes on the plan's chart
    bool operator==(const KeptPanel&) const = default;
};

/// What was published for a plan, beside its own time.
struct KeptTime {
    std::string plan;  ///< its title
    std::string time;  ///< as a person writes it, with its range if it has one: "531 ms ± 12 ms"
    bool operator==(const KeptTime&) const = default;
};

/// A figure that a project keeps under a name, to be drawn again when its plans have changed. Plans are named
/// by their titles, which outlast planning again.
struct KeptFigure {
    std::string name;               ///< of its file too, without an ending; one of a kind in the project
    std::string view = "schedule";  ///< FigureSource::id: "schedule", "panels", "compare", "cluster", …
    std::string plan = {};          ///< title of the one plan that it shows; empty: it shows several, or none
    std::vector<KeptPanel> panels = {};                   ///< of a figure of several panels
    std::optional<std::pair<double, double>> timeS = {};  ///< from and to; nothing: all
    bool steady = false;                                  ///< one period of what repeats, not timeS
    std::vector<int> lanes = {};                          ///< by number from 0; empty: all
    std::string memoryDevice = {};                        ///< id; empty: the one closest to its limit
    std::optional<std::pair<std::string, std::string>> link = {};  ///< ids of its ends; nothing: the busiest
    std::string reference = {};            ///< title of the plan with which others are compared; empty: none
    std::vector<KeptTime> published = {};  ///< of compared plans
    std::optional<std::vector<ChartNote>> marks = {};  ///< nothing: the notes on the plan's chart
    std::string format = {};     ///< id of that of its file: "tikz"; empty: that of whoever remakes it
    std::string style = {};      ///< text of a figure style file; empty: the default
    std::string recording = {};  ///< title of the one that it shows in the place of a plan; empty: none
    bool operator==(const KeptFigure&) const = default;

    /// The titles of all plans that it names, in turn; each may be changed.
    std::vector<std::string*> planTitles();
};

}  // namespace stagecraft::model
