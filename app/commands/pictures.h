#pragma once

#include "core/runs/plan_run.h"
#include "views/plan/plan_view.h"

#include <QImage>

#include <memory>
#include <string>

namespace stagecraft::app {

// All need an application (ensureApplication()).

/// The charts of a run, ready to be drawn.
std::unique_ptr<QWidget> chartsOf(const std::shared_ptr<const PlanRun>& run, const PlanViewState& state);
/// The widget as it looks at this size, in pixels, once it has settled.
QImage pictureOf(QWidget& widget, QSize size);
/// As PNG. @throws as writeFileAtomically
void writePicture(const std::string& path, const QImage& picture);

}  // namespace stagecraft::app
