#pragma once

#include "app/commands/arguments.h"
#include "core/base/rooms.h"
#include "core/runs/plan_run.h"
#include "views/figures/figure_style.h"
#include "views/plan/plan_view.h"

#include <QImage>
#include <QSize>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace stagecraft::app::commands {

// All need an application (ensureApplication()).

/// The charts of a run, ready to be drawn.
std::unique_ptr<QWidget> chartsOf(const std::shared_ptr<const PlanRun>& run, const PlanViewState& state);
/// The same of a recording.
std::unique_ptr<QWidget> chartsOf(const std::shared_ptr<const RecordedRun>& recorded,
                                  const PlanViewState& state);
/// The widget as it looks at this size, in pixels, once it has settled.
QImage pictureOf(QWidget& widget, QSize size);
/// Lets windows work until the condition holds; not for ever. @return whether it does
bool waitUntil(const std::function<bool()>& holds, int patienceMs = 60'000);
/// As PNG. @throws as writeFileAtomically
void writePicture(const std::string& path, const QImage& picture);

/// "1280x720": a width and a height in pixels, each from `least` to `most`; nothing for anything else.
std::optional<QSize> pixelsFrom(const std::string& text, int least, int most);

/// Makes an application for widgets and fonts that needs no display, unless there is one already.
void ensureApplication();

/// Whether a window can be shown at all: a display is named and answers. Asked before a QApplication is made,
/// which would abort.
bool hasDisplay();

/// --colour, and --predictions of plans whose mini-batches overlap.
inline const Option colouringOption = {
    "colour", "BY",
    joinNames(allNames(colouringNames), " | ") +
        "; default kind; mini-batch, version and staleness where mini-batches overlap"};
inline const Option predictionsOption = {
    "predictions", "", "arrows from predictions of weights to the updates that they anticipate"};

inline BlockColouring chosenColouring(const Arguments& arguments) {
    return arguments.choice("colour", colouringNames).value_or(BlockColouring::kind);
}

}  // namespace stagecraft::app::commands
