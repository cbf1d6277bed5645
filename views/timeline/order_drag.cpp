#include "views/timeline/order_drag.h"

#include "views/common/theme.h"
#include "views/timeline/gantt_chart.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace stagecraft::views::timeline {

namespace {

constexpr Qt::KeyboardModifiers alwaysWith = Qt::ControlModifier | Qt::ShiftModifier;
constexpr int overhang = 4;  // pixels of the mark above and below its lane

std::vector<std::uint32_t> orderedBlocks(const Timeline& timeline, std::uint32_t block) {
    const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.laneOf(block))];
    std::vector<std::uint32_t> blocks;
    for (std::uint32_t each = lane.firstBlock; each < lane.endBlock; ++each)
        if (OrderDrag::isOrdered(timeline, each)) blocks.push_back(each);
    return blocks;
}

}  // namespace

/// Drawn above the plot, so that nothing of it is drawn anew.
class OrderDrag::Overlay : public QWidget {
public:
    Overlay(QWidget* plot, const OrderDrag& drag) : QWidget(plot), drag_(drag) {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        hide();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        if (!drag_.dragging_) return;
        QPainter painter(this);
        painter.setClipRect(drag_.chart_.plot().area());
        const Theme& theme = Theme::current();
        QRectF ghost = drag_.chart_.blockRect(drag_.block_);
        QColor faint = theme.accent;
        faint.setAlpha(90);
        painter.setPen(QPen(theme.accent, 1.5));
        painter.setBrush(faint);
        painter.drawRect(ghost.translated(drag_.at_.x() - drag_.from_.x(), 0));
        if (const QRectF mark = drag_.dropMark(); !mark.isEmpty()) painter.fillRect(mark, theme.accent);
    }

private:
    const OrderDrag& drag_;
};

OrderDrag::OrderDrag(GanttChart& chart)
    : QObject(&chart), chart_(chart), overlay_(new Overlay(&chart.plot(), *this)) {
    chart_.plot().installEventFilter(this);
}

bool OrderDrag::isOrdered(const Timeline& timeline, std::uint32_t block) {
    return isPass(timeline.kind[block]);
}

std::uint32_t OrderDrag::placeBeside(const Timeline& timeline, std::uint32_t block, int step) {
    const std::vector<std::uint32_t> blocks = orderedBlocks(timeline, block);
    const auto place = std::find(blocks.begin(), blocks.end(), block) - blocks.begin();
    // After the next one is before the one after that.
    const std::ptrdiff_t target = step > 0 ? place + step + 1 : place + step;
    if (target < 0) return blocks.front();
    return target < static_cast<std::ptrdiff_t>(blocks.size()) ? blocks[static_cast<std::size_t>(target)]
                                                               : noBlock;
}

void OrderDrag::setMode(bool on) {
    mode_ = on;
    if (!on) chart_.plot().unsetCursor();
}

void OrderDrag::cancel() {
    dragging_ = moved_ = false;
    overlay_->hide();
    chart_.plot().unsetCursor();
}

bool OrderDrag::press(const QMouseEvent& event) {
    const bool asked = mode_ ? event.modifiers() == Qt::NoModifier : event.modifiers() == alwaysWith;
    if (event.button() != Qt::LeftButton || !asked || !chart_.scene().data) return false;
    const std::uint32_t block = chart_.blockAt(event.position());
    const Timeline& timeline = chart_.scene().timeline();
    if (block == noBlock || !isOrdered(timeline, block)) return false;
    block_ = block;
    lane_ = orderedBlocks(timeline, block);
    place_ = static_cast<std::size_t>(std::find(lane_.begin(), lane_.end(), block) - lane_.begin());
    target_ = place_;
    from_ = at_ = event.position();
    dragging_ = true;
    moved_ = false;
    return true;
}

void OrderDrag::findPlace(double x) {
    // By the middles of the other blocks, so that a block passes another when half of it is behind the
    // pointer.
    const Timeline& timeline = chart_.scene().timeline();
    const double timeS = chart_.plot().axis().toTime(x);
    std::size_t target = 0;
    for (const std::uint32_t each : lane_)
        if (each != block_ && (timeline.startS[each] + timeline.endS[each]) / 2 < timeS) ++target;
    if (target == target_) return;
    target_ = target;
    if (target_ == place_) return emit withdrawn();
    const std::size_t next = target_ < place_ ? target_ : target_ + 1;
    before_ = next < lane_.size() ? lane_[next] : noBlock;
    emit proposed(block_, before_);
}

void OrderDrag::move(QPointF at) {
    at_ = at;
    if (!moved_ && (at - from_).manhattanLength() < QApplication::startDragDistance()) return;
    if (!moved_) {
        moved_ = true;
        chart_.plot().setCursor(Qt::ClosedHandCursor);
        emit chart_.plot().pointerLeft();  // no card over the place where it goes
        overlay_->setGeometry(chart_.plot().rect());
        overlay_->show();
        overlay_->raise();
    }
    findPlace(at.x());
    overlay_->update();
}

void OrderDrag::release() {
    const bool moved = moved_, elsewhere = target_ != place_;
    cancel();
    if (!moved) return emit clicked(block_);
    if (elsewhere)
        emit requested(block_, before_);
    else
        emit withdrawn();
}

QRectF OrderDrag::dropMark() const {
    if (!dragging_ || !moved_ || target_ == place_) return {};
    // Between its new neighbours.
    const std::size_t next = target_ < place_ ? target_ : target_ + 1;
    const QRectF beside = chart_.blockRect(next < lane_.size() ? lane_[next] : lane_.back());
    const double x = next < lane_.size() ? beside.left() : beside.right();
    return {x - 1.5, beside.top() - overhang, 3, beside.height() + 2 * overhang};
}

bool OrderDrag::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::MouseButtonPress:
        case QEvent::MouseButtonDblClick:
            if (press(*static_cast<QMouseEvent*>(event))) return true;
            break;
        case QEvent::MouseMove: {
            auto* mouse = static_cast<QMouseEvent*>(event);
            if (dragging_) {
                move(mouse->position());
                return true;
            }
            if (!mode_ || mouse->buttons() != Qt::NoButton || !chart_.scene().data) break;
            const std::uint32_t block = chart_.blockAt(mouse->position());
            if (block != noBlock && isOrdered(chart_.scene().timeline(), block))
                chart_.plot().setCursor(Qt::OpenHandCursor);
            else
                chart_.plot().unsetCursor();
            break;
        }
        case QEvent::MouseButtonRelease:
            if (!dragging_ || static_cast<QMouseEvent*>(event)->button() != Qt::LeftButton) break;
            release();
            return true;
        case QEvent::Wheel:
            if (dragging_) return true;
            break;
        default:
            break;
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace stagecraft::views::timeline
