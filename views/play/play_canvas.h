#pragma once

#include "views/play/play_picture.h"

#include <QWidget>

#include <memory>

namespace stagecraft::views::timeline {
class HoverCard;
}

namespace stagecraft::views::play {

class PointerRing;

/// Shows a picture of playing plans, as large as it is itself. Turns wheel and mouse into requests for
/// another range of time or another instant, and answers none of them itself.
class PlayCanvas : public QWidget {
    Q_OBJECT
public:
    explicit PlayCanvas(QWidget* parent = nullptr);

    /// Null: none.
    void setPicture(std::unique_ptr<PlayPicture> picture);
    const PlayPicture* picture() const { return picture_.get(); }
    void setRange(double t0, double t1);
    void setTime(double timeS);
    /// A ring at the mouse instead of the arrow.
    void setPointerShown(bool on);
    bool pointerShown() const { return pointerShown_; }
    /// Where the block is, for pointing at it; not clipped.
    QRectF blockRect(std::size_t plan, std::uint32_t block) const;
    /// What is said of the block under the pointer; not while that is a ring, which points for others.
    const HoverCard& card() const { return *card_; }

signals:
    void rangeRequested(double t0, double t1);
    void instantRequested(double timeS);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void goTo(QPointF position);
    void showCard(const QPoint& position);

    std::unique_ptr<PlayPicture> picture_;
    PointerRing* ring_;
    HoverCard* card_;
    double timeS_ = 0;
    bool pointerShown_ = false;
    bool pressed_ = false, panning_ = false;
    QPoint pressedAt_;
    std::size_t shownPlan_ = 0;  ///< that the card is about
    TimeAxis axisThen_;
};

}  // namespace stagecraft::views::play
