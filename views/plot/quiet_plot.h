#pragma once

#include "views/rooms.h"

#include <QTimer>
#include <qcustomplot.h>

#include <utility>

namespace stagecraft::views::plot {

/// A QCustomPlot under a widget of ours, which has the mouse and the keyboard. Drawn once for all that was
/// changed: at the next turn of the event loop, or when it is painted, if that is before in a new size, or
/// after in a plot that was out of sight.
class QuietPlot : public QCustomPlot {
public:
    explicit QuietPlot(QWidget* parent) : QCustomPlot(parent) {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setFocusPolicy(Qt::NoFocus);
        setPlottingHint(QCP::phImmediateRefresh, false);
        setNoAntialiasingOnDrag(false);
        layer("overlay")->setMode(QCPLayer::lmLogical);  // no second buffer: marks have a widget of ours
    }

    void drawSoon() {
        if (std::exchange(wanted_, true)) return;
        QTimer::singleShot(0, this, [this] {
            if (!wanted_) return;
            if (isVisible()) return draw();
            wanted_ = false;
            stale_ = true;
        });
    }
    void draw() {
        wanted_ = stale_ = false;
        replot(rpQueuedRefresh);
    }
    /// Places axes and margins without drawing anything.
    void layOut() {
        setViewport(rect());
        updateLayout();
    }

protected:
    void resizeEvent(QResizeEvent*) override {
        setViewport(rect());
        stale_ = true;
    }
    void paintEvent(QPaintEvent* event) override {
        if (stale_) {
            setAttribute(Qt::WA_UpdatesDisabled);  // it is being painted, and need not be once more
            draw();
            setAttribute(Qt::WA_UpdatesDisabled, false);
        }
        QCustomPlot::paintEvent(event);
    }

private:
    bool wanted_ = false;
    bool stale_ = false;
};

}  // namespace stagecraft::views::plot
