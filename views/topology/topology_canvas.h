#pragma once

#include "views/topology/topology_scene.h"
#include "views/topology/topology_painter.h"

#include <QPixmap>
#include <QWidget>

namespace stagecraft {

/// The picture of the cluster, with pointer and keys. Drag or middle drag pans, the wheel zooms at the
/// pointer, F or Home fits, + and - zoom, W A S D pan, arrows walk from device to device, Escape lets go.
class TopologyCanvas : public QWidget {
    Q_OBJECT
public:
    explicit TopologyCanvas(QWidget* parent = nullptr);

    void setScene(std::shared_ptr<TopologyScene> scene);
    /// The scene's run changed.
    void refresh();
    const Viewport& viewport() const { return viewport_; }
    int selectedDevice() const { return focus_.selectedDevice; }
    TopologyItem hoveredItem() const { return focus_.hover; }

    void select(int device);      ///< -1: nothing; emits deviceSelected if that is a change
    void hoverDevice(int device); ///< as if pointed at, without a tooltip and without a signal; -1: nothing
    void emphasiseStage(int stage);
    void fit();

    QSize sizeHint() const override { return {900, 600}; }

signals:
    void deviceHovered(int device);   ///< -1: none
    void deviceSelected(int device);  ///< -1: none

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void setHover(TopologyItem item);
    void moved();
    void walk(QPointF direction);
    void paintNote(QPainter& painter);
    void paintEmpty(QPainter& painter);

    std::shared_ptr<TopologyScene> scene_;
    Viewport viewport_;
    TopologyFocus focus_;
    QPixmap background_;
    bool backgroundHolds_ = false;
    bool fitted_ = true;  ///< the viewport follows the widget's size until a person moves it
    QPointF pressedAt_;
    QPointF lastAt_;
    bool panning_ = false;
};

}  // namespace stagecraft
