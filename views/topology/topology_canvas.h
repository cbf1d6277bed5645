#pragma once

#include "views/topology/canvas_gestures.h"
#include "views/topology/topology_overlay.h"
#include "views/topology/topology_painter.h"

#include <QPixmap>
#include <QWidget>

#include <functional>

namespace stagecraft {

/// The picture of the cluster, with pointer and keys. The wheel zooms at the pointer, middle drag pans (Space
/// and drag too), F or Home fits, + and - zoom, W A S D pan, Escape lets go.
///
/// Without an editor, dragging pans and arrows walk from device to device. With one, a click chooses (Shift
/// or Ctrl adds and takes away), dragging moves what is chosen or opens a rubber band, dragging from a port
/// joins; arrows move what is chosen, Ctrl and arrows, Tab and Shift+Tab walk.
class TopologyCanvas : public QWidget, public GestureSurface {
    Q_OBJECT
public:
    explicit TopologyCanvas(QWidget* parent = nullptr);
    ~TopologyCanvas() override;

    /// Another cluster, fitted into the view.
    void setScene(std::shared_ptr<TopologyScene> scene);
    /// The same cluster after an edit: the view stays where it is.
    void updateScene(std::shared_ptr<TopologyScene> scene);
    /// The scene's run changed.
    void refresh();
    const TopologyScene& scene() const override { return *scene_; }
    const Viewport& viewport() const override { return viewport_; }
    void setViewport(const Viewport& viewport) override;
    int selectedDevice() const { return focus_.selectedDevice; }
    TopologyItem hoveredItem() const { return focus_.hover; }

    void select(int device);       ///< -1: nothing; emits deviceSelected if that is a change
    void hoverDevice(int device);  ///< as if pointed at, without a tooltip and without a signal; -1: nothing
    void emphasiseStage(int stage);
    /// What another view shows on the cluster, until the cluster is another or was edited.
    void setOverlay(TopologyOverlay overlay);
    const PlacedOverlay& overlay() const { return overlay_; }
    /// What moves is painted anew over the picture each time, which itself stays as it is; update() asks for
    /// it.
    using LivePaint = std::function<void(QPainter&, const Viewport&, const QRectF& screen)>;
    void setLive(LivePaint paint);
    void fit();
    void fitSelection();
    /// Where it says what the lines between servers stand for, in as many lines as that takes; empty:
    /// nowhere.
    QRect noteBox() const;
    /// Moves the view no more than needed to show the rectangle of the scene; zooms out if it is larger.
    void reveal(const QRectF& area);

    // Editing.
    void setEditor(ClusterEditor* editor);
    ClusterEditor* editor() const override { return editor_; }
    const ClusterSelection& selection() const override { return focus_.selection; }
    SnapHabits snapHabits() const override { return habits_; }
    void setSnapHabits(SnapHabits habits);
    bool isOverviewWanted() const { return overviewWanted_; }
    void setOverviewWanted(bool wanted);
    /// The next clicks place this part, until Escape; nothing: back to choosing.
    void setPlacing(std::optional<PalettePart> part);
    std::optional<PalettePart> placing() const { return placing_; }
    /// Presses and clicks join things, until Escape.
    void setLinking(bool linking);
    bool isLinking() const { return linking_; }
    /// A part that is dragged from the palette: an outline at the point of the widget, or none.
    void previewPart(PalettePart part, QPointF at);
    void dropPart(PalettePart part, QPointF at);
    /// Breaks the gesture off, else the tool, else lets go of what is chosen.
    void escape();
    /// Where to paste: under the pointer, if it is here.
    std::optional<QPointF> pointerInScene() const;
    /// The middle of what is seen.
    QPointF middleInScene() const { return viewport_.toScene(QRectF(rect()).center()); }

    // For gestures.
    std::optional<ClusterNode> nodeAt(QPointF at) const override;
    void clickAt(QPointF at, Qt::KeyboardModifiers modifiers) override;
    void centreByOverview(QPointF at) override;
    QRectF screen() const override { return QRectF(rect()); }
    void repaintGesture() override { update(); }
    /// Empty if there is none: the whole picture is in view.
    QRectF overviewRect() const;

    QSize sizeHint() const override { return {900, 600}; }

signals:
    void deviceHovered(int device);   ///< -1: none
    void deviceSelected(int device);  ///< -1: none
    void toolChanged();
    void menuWanted(const QPoint& globalPosition);
    /// Enter or a double click on something: to edit its numbers.
    void detailsWanted();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    bool focusNextPrevChild(bool next) override;

private:
    void setHover(TopologyItem item);
    void showCursor();
    void moved();
    void walk(QPointF direction);
    void chooseNode(ClusterNode node);
    void takeSelection(const ClusterSelection& selection);
    ClusterSelection selectionOf(TopologyItem item) const;
    TopologyItem itemAt(QPointF at) const;
    std::optional<QPointF> portAt(QPointF at) const;
    std::vector<QPointF> ports() const;
    std::unique_ptr<CanvasGesture> gestureFor(QPointF at, Qt::MouseButton button,
                                              Qt::KeyboardModifiers modifiers);
    void place(PalettePart part, QPointF at);
    bool editKey(QKeyEvent* event);

    void paintFrame();
    void paintGrid(QPainter& painter) const;
    void paintPorts(QPainter& painter) const;
    void paintPreview(QPainter& painter) const;
    void paintOverview(QPainter& painter);
    QString note() const;
    QFont noteFont() const;
    void paintNote(QPainter& painter) const;
    void paintEmpty(QPainter& painter);

    std::shared_ptr<TopologyScene> scene_;
    Viewport viewport_;
    TopologyFocus focus_;
    PlacedOverlay overlay_;
    QPixmap background_;  ///< what does not depend on the pointer
    QPixmap frame_;       ///< and what does, below the gesture
    QPixmap overview_;
    LivePaint live_;
    bool backgroundHolds_ = false;
    bool frameHolds_ = false;
    bool fitted_ = true;  ///< the viewport follows the widget's size until a person moves it

    ClusterEditor* editor_ = nullptr;
    std::unique_ptr<CanvasGesture> gesture_;
    SnapHabits habits_;
    bool overviewWanted_ = true;
    std::optional<PalettePart> placing_;
    std::optional<std::pair<PalettePart, QPointF>> preview_;  ///< in widget coordinates
    bool linking_ = false;
    bool spaceHeld_ = false;
};

}  // namespace stagecraft
