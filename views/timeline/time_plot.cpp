#include "views/timeline/time_plot.h"

#include "views/common/canvas.h"
#include "views/common/theme.h"
#include "views/plot/own_ticks.h"
#include "views/plot/quiet_plot.h"

#include <QApplication>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::timeline {

namespace {

constexpr int leastAxisHeight = 24;
constexpr int plainEdge = 4;

/// Asks our own rule for ticks, so that both charts and the grid inside them agree.
class TimeTicker : public OwnTicks {
public:
    explicit TimeTicker(std::function<TimeAxis()> axis) : axis_(std::move(axis)) {}

protected:
    std::vector<PlotTick> ticks() const override {
        std::vector<PlotTick> ticks;
        for (const TimeTick& tick : timeTicks(axis_(), timeTickSpacing))
            ticks.push_back({tick.timeS, QString::fromStdString(tick.label)});
        return ticks;
    }

private:
    std::function<TimeAxis()> axis_;
};

class PaintedPlottable : public QCPAbstractPlottable {
public:
    PaintedPlottable(QCPAxis* key, QCPAxis* value, std::function<void(QPainter&)> paint,
                     const int& bandHeight)
        : QCPAbstractPlottable(key, value), paint_(std::move(paint)), bandHeight_(bandHeight) {}

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain) const override {
        found = false;
        return {};
    }
    QCPRange getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const override {
        found = false;
        return {};
    }

protected:
    void draw(QCPPainter* painter) override { paint_(*painter); }
    void drawLegendIcon(QCPPainter*, const QRectF&) const override {}
    QRect clipRect() const override {
        return QCPAbstractPlottable::clipRect().adjusted(0, -bandHeight_, 0, 0);
    }

private:
    std::function<void(QPainter&)> paint_;
    const int& bandHeight_;
};

}  // namespace

struct TimePlot::Plot {
    explicit Plot(QWidget* parent) : widget(parent) {}

    QuietPlot widget;
    QCPAxis* time = nullptr;
};

/// Marks that follow the pointer are above the plot, so that moving them repaints a few columns and no block.
class TimePlot::Overlay : public QWidget {
public:
    explicit Overlay(TimePlot* plot) : QWidget(plot), plot_(plot) {
        setAttribute(Qt::WA_TransparentForMouseEvents);
    }

    std::optional<double> cursor;
    QRectF highlight;

    QRect cursorRect() const {
        if (!cursor) return {};
        const QRect area = plot_->area();
        const int x = qRound(plot_->axis().toX(*cursor));
        return x < area.left() || x > area.right() ? QRect() : QRect(x, area.top(), 1, area.height());
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const Theme& theme = Theme::current();
        const QRect area = plot_->area();
        painter.setClipRect(area);
        if (plot_->marked_) paintMarked(painter, area);
        if (const QRect line = cursorRect(); !line.isEmpty()) {
            QColor colour = theme.text;
            colour.setAlpha(110);
            painter.fillRect(line, colour);
        }
        if (!highlight.isEmpty()) {
            painter.setPen(QPen(theme.text, 1.5));
            painter.drawRect(highlight.adjusted(0.5, 0.5, -0.5, -0.5));
        }
    }

private:
    void paintMarked(QPainter& painter, const QRect& area) const {
        const TimeAxis axis = plot_->axis();
        const auto [from, to] = *plot_->marked_;
        const QRectF band(QPointF(axis.toX(from), area.top()), QPointF(axis.toX(to), area.bottom() + 1));
        const Theme& theme = Theme::current();
        QColor fill = theme.accent;
        fill.setAlpha(36);
        painter.fillRect(band, fill);
        painter.setPen(theme.accent);
        painter.drawLine(band.topLeft(), band.bottomLeft());
        painter.drawLine(band.topRight(), band.bottomRight());
        const QString text = QString::fromStdString(formatInstant(to - from, (to - from) / 1000));
        QRectF label(painter.fontMetrics().boundingRect(text));
        label.adjust(-6, -3, 6, 3);
        label.moveCenter(QPointF(band.center().x(), area.top() + label.height() / 2 + 4));
        painter.fillRect(label, theme.accent);
        painter.setPen(readableOn(theme.accent));
        painter.drawText(label, Qt::AlignCenter, text);
    }

    TimePlot* plot_;
};

TimePlot::TimePlot(Side axisSide, Paint paint, QWidget* parent)
    : QWidget(parent), plot_(std::make_unique<Plot>(this)), side_(axisSide) {
    QCustomPlot& widget = plot_->widget;
    widget.plotLayout()->setRowSpacing(0);

    QCPAxisRect* rectangle = widget.axisRect();
    rectangle->setAutoMargins(QCP::msNone);
    QCPAxis* value = widget.yAxis;
    plot_->time = axisSide == Side::top ? widget.xAxis2 : widget.xAxis;
    for (QCPAxis* axis : {widget.xAxis, widget.xAxis2, widget.yAxis, widget.yAxis2}) {
        axis->grid()->setVisible(false);
        axis->setVisible(axis == plot_->time);
    }
    plot_->time->setTicker(QSharedPointer<TimeTicker>::create([this] { return this->axis(); }));
    plot_->time->setSubTicks(false);
    plot_->time->setTickLengthIn(0);
    plot_->time->setTickLengthOut(axisTickLength);
    const auto draw = [this, paint = std::move(paint)](QPainter& painter) {
        paint(painter, area(), this->axis());
        emit drawn();
    };
    new PaintedPlottable(plot_->time, value, draw, bandHeight_);

    overlay_ = new Overlay(this);
    setMouseTracking(true);
    applyTheme();
}

TimePlot::~TimePlot() = default;

QRect TimePlot::area() const {
    const int axisHeight = std::max(leastAxisHeight, fontMetrics().height() + 6);  // large type for a class
    const int top = (side_ == Side::top ? axisHeight : plainEdge) + bandHeight_;
    const int bottom = side_ == Side::top ? plainEdge : axisHeight;
    return {0, top, std::max(1, width() - rightMargin_), std::max(1, height() - top - bottom)};
}

TimeAxis TimePlot::axis() const {
    const QCPRange range = plot_->time->range();
    const QRect inside = area();
    return {range.lower, range.upper, double(inside.left()), double(inside.width())};
}

void TimePlot::setRange(double t0, double t1) {
    plot_->time->setRange(t0, t1);
    setHighlight({});
    overlay_->update();
    replot();
}

void TimePlot::setRightMargin(int pixels) {
    if (rightMargin_ == pixels) return;
    rightMargin_ = pixels;
    place();
}

void TimePlot::setBandHeight(int pixels) {
    if (bandHeight_ == pixels) return;
    bandHeight_ = pixels;
    plot_->time->setOffset(pixels);
    place();
}

void TimePlot::replot() { plot_->widget.drawSoon(); }
void TimePlot::replotNow() { plot_->widget.draw(); }

void TimePlot::setCursorTime(std::optional<double> timeS) {
    if (overlay_->cursor == timeS) return;
    overlay_->update(overlay_->cursorRect());
    overlay_->cursor = timeS;
    overlay_->update(overlay_->cursorRect());
}

void TimePlot::setHighlight(const QRectF& rectangle) {
    if (overlay_->highlight == rectangle) return;
    overlay_->update(overlay_->highlight.toAlignedRect().adjusted(-2, -2, 2, 2));
    overlay_->highlight = rectangle;
    overlay_->update(overlay_->highlight.toAlignedRect().adjusted(-2, -2, 2, 2));
}

void TimePlot::setMarkedRange(std::optional<std::pair<double, double>> range) {
    if (marked_ == range) return;
    marked_ = range;
    overlay_->update();
}

QImage TimePlot::picture(double scale) { return plot_->widget.toPixmap(width(), height(), scale).toImage(); }

void TimePlot::place() {
    const QRect inside = area();
    plot_->widget.axisRect()->setMargins(
        {inside.left(), inside.top(), width() - inside.right() - 1, height() - inside.bottom() - 1});
    overlay_->setGeometry(rect());
    if (plot_->widget.geometry() == rect()) return replot();
    plot_->widget.setGeometry(rect());  // draws
}

void TimePlot::resizeEvent(QResizeEvent*) { place(); }

void TimePlot::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) place();
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) applyTheme();
}

void TimePlot::applyTheme() {
    const Theme& theme = Theme::current();
    plot_->widget.setBackground(QBrush(theme.surface));
    plot_->time->setBasePen(QPen(theme.line));
    plot_->time->setTickPen(QPen(theme.line));
    plot_->time->setTickLabelColor(theme.mutedText);
    plot_->time->setTickLabelFont(font());
    overlay_->update();
    replot();
}

void TimePlot::wheelEvent(QWheelEvent* event) {
    const QPoint delta = event->angleDelta();
    const bool sideways = std::abs(delta.x()) > std::abs(delta.y());
    TimeAxis wanted = axis();
    if (event->modifiers() & Qt::AltModifier) {
        emit scrollRequested(-(sideways ? delta.x() : delta.y()) / 2);
        event->accept();
        return;
    }
    if (sideways || event->modifiers() & Qt::ShiftModifier)
        wanted = wanted.panned(sideways ? delta.x() : delta.y());
    else
        wanted = wanted.zoomedAt(event->position().x(), std::pow(zoomStep, delta.y() / 120.0));
    emit rangeRequested(wanted.t0, wanted.t1);
    emit pointerMoved(event->position());  // over something else now
    event->accept();
}

void TimePlot::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return event->ignore();
    dragFrom_ = event->pos();
    dragLastY_ = dragFrom_.y();
    dragAxis_ = axis();
    drag_ = event->modifiers() & Qt::ShiftModifier ? Drag::marking : Drag::pressed;
    event->accept();
}

void TimePlot::mouseMoveEvent(QMouseEvent* event) {
    const QPoint moved = event->pos() - dragFrom_;
    if (drag_ == Drag::pressed && moved.manhattanLength() >= QApplication::startDragDistance()) {
        drag_ = Drag::panning;
        setCursor(Qt::ClosedHandCursor);
        emit pointerLeft();
    }
    if (drag_ == Drag::panning) {
        const TimeAxis wanted = dragAxis_.panned(moved.x());
        emit rangeRequested(wanted.t0, wanted.t1);
        emit scrollRequested(dragLastY_ - event->pos().y());
        dragLastY_ = event->pos().y();
    } else if (drag_ == Drag::marking) {
        setMarkedRange(std::minmax({snapped(dragFrom_), snapped(event->position())}));
        emit rangeMarked();
    } else {
        emit pointerMoved(event->position());
    }
}

void TimePlot::mouseReleaseEvent(QMouseEvent* event) {
    const Drag ended = drag_;
    drag_ = Drag::none;
    unsetCursor();
    if (ended == Drag::pressed && event->button() == Qt::LeftButton) emit clicked(event->position());
    if (ended != Drag::none) emit pointerMoved(event->position());
}

void TimePlot::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) emit doubleClicked(event->position());
}

void TimePlot::leaveEvent(QEvent*) { emit pointerLeft(); }

void TimePlot::contextMenuEvent(QContextMenuEvent* event) {
    emit menuRequested(event->pos(), event->globalPos());
}

}  // namespace stagecraft::views::timeline
