#include "views/play/play_canvas.h"

#include "views/common/canvas.h"
#include "views/play/presenting.h"
#include "views/timeline/block_text.h"
#include "views/timeline/gantt_picker.h"
#include "views/timeline/hover_card.h"

#include <QApplication>
#include <QEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::play {

namespace {
constexpr double ringPerType = 4;  // across
constexpr double cardPerType = 0.65;
constexpr int leastCardType = 13, cardWidthPerType = 30;  // pixels
}  // namespace

PlayCanvas::PlayCanvas(QWidget* parent)
    : QWidget(parent), ring_(new PointerRing(this)), card_(new HoverCard(this)) {
    setObjectName(QStringLiteral("playCanvas"));
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
}

void PlayCanvas::setPicture(std::unique_ptr<PlayPicture> picture) {
    picture_ = std::move(picture);
    card_->dismiss();
    if (picture_) {
        picture_->setSize(size());
        ring_->setExtent(static_cast<int>(ringPerType * picture_->font().pixelSize()));
        QFont type = picture_->font();
        type.setPixelSize(std::max(leastCardType, static_cast<int>(cardPerType * type.pixelSize())));
        card_->setFont(type);
        card_->setMostWidth(cardWidthPerType * type.pixelSize());
    }
    update();
}

void PlayCanvas::setRange(double t0, double t1) {
    if (picture_) picture_->setRange(t0, t1);
    card_->dismiss();  // other blocks are under the pointer
    update();
}

void PlayCanvas::setTime(double timeS) {
    timeS_ = timeS;
    update();
}

void PlayCanvas::setPointerShown(bool on) {
    pointerShown_ = on;
    if (on) card_->dismiss();
    ring_->moveTo(mapFromGlobal(QCursor::pos()));
    ring_->setVisible(on);
    if (on)
        setCursor(Qt::BlankCursor);
    else
        unsetCursor();
}

QRectF PlayCanvas::blockRect(std::size_t plan, std::uint32_t block) const {
    const PlanBand& band = picture_->bands()[plan];
    return band.scene().blockRect(block, band.places().lanes, picture_->axis());
}

void PlayCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (picture_)
        picture_->paint(painter, timeS_);
    else
        painter.fillRect(rect(), palette().window());
}

void PlayCanvas::resizeEvent(QResizeEvent*) {
    if (picture_) picture_->setSize(size());
}

void PlayCanvas::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) update();
}

void PlayCanvas::wheelEvent(QWheelEvent* event) {
    if (!picture_) return;
    const QPoint delta = event->angleDelta();
    const bool sideways = std::abs(delta.x()) > std::abs(delta.y());
    const TimeAxis axis = picture_->axis();
    const TimeAxis wanted = sideways || event->modifiers() & Qt::ShiftModifier
                                ? axis.panned(sideways ? delta.x() : delta.y())
                                : axis.zoomedAt(event->position().x(), std::pow(zoomStep, delta.y() / 120.0));
    emit rangeRequested(wanted.t0, wanted.t1);
    event->accept();
}

void PlayCanvas::mousePressEvent(QMouseEvent* event) {
    if (!picture_ || event->button() != Qt::LeftButton) return event->ignore();
    pressed_ = true;
    panning_ = false;
    pressedAt_ = event->pos();
    axisThen_ = picture_->axis();
}

void PlayCanvas::mouseMoveEvent(QMouseEvent* event) {
    ring_->moveTo(event->pos());
    if (!pressed_) return showCard(event->pos());
    card_->dismiss();
    const QPoint moved = event->pos() - pressedAt_;
    panning_ |= moved.manhattanLength() >= QApplication::startDragDistance();
    if (!panning_) return;
    const TimeAxis wanted = axisThen_.panned(moved.x());
    emit rangeRequested(wanted.t0, wanted.t1);
}

void PlayCanvas::mouseReleaseEvent(QMouseEvent* event) {
    if (std::exchange(pressed_, false) && !panning_ && picture_) goTo(event->position());
}

void PlayCanvas::leaveEvent(QEvent*) { card_->dismiss(); }

void PlayCanvas::showCard(const QPoint& position) {
    if (!picture_ || pointerShown_) return;
    for (std::size_t i = 0; i < picture_->bands().size(); ++i) {
        const PlanBand& band = picture_->bands()[i];
        const QRect& lanes = band.places().lanes;
        if (!lanes.contains(position)) continue;
        const std::uint32_t block = GanttPicker(band.scene(), lanes, picture_->axis()).blockAt(position);
        if (block == noBlock) break;
        if (shownPlan_ != i) card_->dismiss();  // blocks of two plans have the same numbers
        shownPlan_ = i;
        return card_->show(
            block, [&band, block] { return blockCard(*band.data().chart, block); }, position);
    }
    card_->dismiss();
}

/// To the start of the block there, or where no block is to that instant.
void PlayCanvas::goTo(QPointF position) {
    for (const PlanBand& band : picture_->bands()) {
        const QRect& lanes = band.places().lanes;
        if (!QRectF(lanes).contains(position) && !QRectF(band.places().memory).contains(position)) continue;
        const std::uint32_t block = GanttPicker(band.scene(), lanes, picture_->axis()).blockAt(position);
        return emit instantRequested(block == noBlock ? picture_->axis().toTime(position.x())
                                                      : band.scene().timeline().startS[block]);
    }
}

}  // namespace stagecraft::views::play
