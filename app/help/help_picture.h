#pragma once

#include "app/rooms.h"
#include "core/runs/plan_run.h"
#include "views/figures/figure.h"

#include <QString>

#include <memory>
#include <vector>

namespace stagecraft::app::help {

/// What a block of code in the language `figure` asks for: `{"sample": "schedules", "plan": "1F1B"}`, with
/// the view (default "schedule"), the caption, and `style`, the fields of a figure style (FORMATS.md). Where
/// that says no width the picture is as wide as the page.
struct HelpPicture {
    QString sample;
    QString plan;  ///< by its title; empty: the first, or none where the sample has none
    QString with;  ///< a plan beside it, for the views "playing" and "panels"; empty: none
    QString view;
    QString caption;
    std::string style;  ///< JSON

    /// Drawn by drawHelpPlaying(), not as a figure.
    bool isPlaying() const { return view == QLatin1String("playing"); }
    /// The command that draws the same.
    QString command() const;
};

/// @param place of the block, for messages @throws InputError
HelpPicture readHelpPicture(const QString& block, const std::string& place);
/// Its plan, and the one that is played with it. @throws InputError
std::vector<std::shared_ptr<const PlanRun>> helpPictureRuns(const HelpPicture& picture);
/// Drawn once for each width in a row: the figure lasts until the same picture is asked for in another.
/// @param pageMm what the page has room for @throws InputError, std::invalid_argument
const Figure& drawHelpPicture(const HelpPicture& picture, double pageMm);

}  // namespace stagecraft::app::help
