#pragma once

#include "app/rooms.h"
#include "core/model/chart_note.h"
#include "views/figures/panels_figure.h"

#include <QString>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft::app::figures {

/// A panel of a figure that has several: what is shown of one of the plans that its source offers.
struct PanelChoice {
    int plan = 0;  ///< index into FigureSource::plans
    PanelView view = PanelView::schedule;
    bool operator==(const PanelChoice&) const = default;
};

/// What of a plan a figure or a table is about; everything unless said otherwise.
struct FigurePart {
    std::optional<std::pair<double, double>> timeS;
    std::vector<int> lanes;  ///< of the timeline; empty: all
    int memoryDevice = -1;   ///< -1: the one closest to its limit beside a schedule, else all of them
    bool steady = false;     ///< one period of what repeats, instead of timeS
    std::string reference;   ///< title of the plan that others are compared with; empty: none
    std::string published;   ///< publishedTimes, of plans that are compared
    std::optional<std::vector<PanelChoice>> panels;  ///< nothing: FigureSource::panels
    std::optional<std::vector<ChartNote>> notes;     ///< nothing: those of the plan's chart
    /// Of panels, by FigureSource::plans; nothing: those of the plans' charts.
    std::optional<std::vector<std::vector<ChartNote>>> planNotes;
    int link = -1;  ///< by index into linkUses; -1: the busiest in a figure, all in a table
    bool operator==(const FigurePart&) const = default;
};

/// A file of numbers that can be written instead of a figure.
struct FigureTable {
    QString id;      ///< of the format: "csv", "perfetto", …
    QString title;   ///< for people
    QString suffix;  ///< of the file's name
    /// Writes the file atomically. @throws InputError
    std::function<void(const FigurePart&, const std::filesystem::path&)> write;
};

}  // namespace stagecraft::app::figures
