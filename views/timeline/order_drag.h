#pragma once

#include "core/model/timeline.h"
#include "views/rooms.h"

#include <QObject>
#include <QPointF>

#include <vector>

class QMouseEvent;
class QWidget;

namespace stagecraft::views::timeline {

class GanttChart;

/// Lets a block of a compute lane be dragged to another place in the lane's order, in its mode or with Ctrl
/// and Shift held. The chart stays as it is meanwhile, but for a mark where the block would go. Changes
/// nothing itself.
class OrderDrag : public QObject {
    Q_OBJECT
public:
    explicit OrderDrag(GanttChart& chart);

    void setMode(bool on);
    /// Ends a drag without a word.
    void cancel();
    /// The mark of the drop place in pixels of the plot; empty while nothing is dragged.
    QRectF dropMark() const;

    /// The block that comes `step` places later in the order of the same lane (noBlock: the end of the
    /// order).
    static std::uint32_t placeBeside(const Timeline& timeline, std::uint32_t block, int step);
    /// Whether the order of a device names the block.
    static bool isOrdered(const Timeline& timeline, std::uint32_t block);

signals:
    /// `before`: the block of the same lane before which it would run; noBlock: after all others.
    void proposed(quint32 block, quint32 before);
    void withdrawn();
    void requested(quint32 block, quint32 before);
    void clicked(quint32 block);  ///< pressed and let go where it was

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    class Overlay;

    bool press(const QMouseEvent& event);
    void move(QPointF at);
    void release();
    void findPlace(double x);

    GanttChart& chart_;
    QWidget* overlay_;
    bool mode_ = false;
    bool dragging_ = false;
    bool moved_ = false;
    QPointF from_, at_;
    std::uint32_t block_ = noBlock;
    std::uint32_t before_ = noBlock;
    std::vector<std::uint32_t> lane_;  ///< its ordered blocks
    std::size_t place_ = 0;            ///< of the block, among them
    std::size_t target_ = 0;           ///< where it would be
};

}  // namespace stagecraft::views::timeline
