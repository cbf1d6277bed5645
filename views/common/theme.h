#pragma once

#include "core/memory/memory.h"
#include "core/model/timeline.h"
#include "views/rooms.h"

#include <QColor>
#include <QIcon>

class QApplication;
class QWidget;

namespace stagecraft::views::common {

/// The colours of the frame; data has colours of its own below.
struct Theme {
    bool dark = false;
    QColor window;   ///< the background
    QColor surface;  ///< charts, tables, canvases
    QColor raised;   ///< cards, headers, tooltips
    QColor text;
    QColor mutedText;
    QColor line;  ///< grid lines and borders
    QColor accent;
    QColor error;
    QColor warning;
    QColor ok;

    static const Theme& light();
    static const Theme& night();
    /// The current one; set by applyTheme.
    static const Theme& current();
};

enum class ThemeChoice { system, light, dark };

/// Fusion style with a palette and a style sheet of our own. Widgets get QEvent::PaletteChange and should
/// repaint from Theme::current().
void applyTheme(QApplication& application, ThemeChoice choice);

/// One colour per kind everywhere (chart, legend, comparison, figure, cluster); Okabe and Ito's palette. The
/// same on light and dark, so that figures and screen agree.
QColor blockColour(BlockKind kind);
/// The same for the charts of the window: the update, which is as dark as ink, is light on a dark surface.
QColor shownBlockColour(BlockKind kind);
/// Black or white, whichever is easier to read on `background`.
QColor readableOn(const QColor& background);
/// Neighbouring stages differ in hue and in shade, so that no colour blindness makes them one; labels say
/// the rest.
QColor stageColour(int stage, int stages);
QColor memoryColour(MemoryKind kind);

/// A monochrome line icon from resources that follows the text colour; sharp at any scale.
QIcon lineIcon(const QString& name);

/// The colour of a stage for a line on the theme's own ground: in the dark theme lighter than its blocks, so
/// that the darkest is seen as well. @param stage negative: of no stage
QColor stageLineColour(int stage, int stages);

}  // namespace stagecraft::views::common
