#pragma once

#include "views/common/canvas.h"
#include "views/topology/canvas_gestures.h"
#include "views/topology/canvas_marks.h"
#include "views/topology/canvas_tool.h"
#include "views/topology/link_legend.h"
#include "views/topology/link_note.h"
#include "views/topology/topology_overlay.h"
#include "views/topology/topology_overview.h"
#include "views/topology/topology_painter.h"

#include <functional>

namespace stagecraft::views::topology {

/// The picture of the cluster, with pointer and keys. Middle drag pans, Space and drag too; Escape lets go.
///
/// Without an editor, dragging pans and arrows walk from device to device. With one, a click chooses (Shift
/// or Ctrl adds and takes away), dragging moves what is chosen or opens a rubber band, dragging from a port
/// joins; arrows move what is chosen, Ctrl and arrows, Tab and Shift+Tab walk.
class TopologyCanvas : public Canvas, public GestureSurface {
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
    void fit() override;
    void fitSelection();
    /// What it says about the lines between servers, beside the overview.
    LinkNote note() const;
    /// What the colours of lines are, above the note.
    LinkLegend linkLegend() const;
    /// Moves the view no more than needed to show the rectangle of the scene; zooms out if it is larger.
    void reveal(const QRectF& area);

    // Editing.
    void setEditor(ClusterEditor* editor);
    ClusterEditor* editor() const override { return editor_; }
    const ClusterSelection& selection() const override { return focus_.selection; }
    SnapSettings snapSettings() const override { return snap_; }
    void setSnapSettings(SnapSettings settings);
    bool isOverviewWanted() const { return overview_.isWanted(); }
    void setOverviewWanted(bool wanted);
    /// The next clicks place this part, until Escape; nothing: back to choosing.
    void setPlacing(std::optional<PalettePart> part);
    std::optional<PalettePart> placing() const { return tool_.placing(); }
    /// The same for a machine by its name.
    void setPlacing(MachineChoice machine);
    /// Presses and clicks join things, until Escape.
    void setLinking(bool linking);
    bool isLinking() const { return tool_.isLinking(); }
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
    /// A machine or a rack is to be placed: by the next clicks, or where it was dropped, a point of the
    /// scene.
    void machineWanted(PalettePart part, std::optional<QPointF> dropped);
    /// A click on folded network cards, or on what folds them again.
    void serverToggled(const QString& server);
    /// A click on a box that represents many, or on what folds one again; or Enter for a selected one.
    void foldingWanted(const FoldChoice& choice);
    void menuWanted(const QPoint& globalPosition);
    /// Enter or a double click on something: to edit its numbers.
    void detailsWanted();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void lookChanged() override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void hoverAt(QPointF at, QPoint onScreen) override;
    void hoverEnded() override;
    void panBy(QPointF pixels) override;
    void zoomAt(QPointF at, double factor) override;
    QPointF keyPan() const override;
    bool step(QPoint by) override;
    bool letGo() override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    bool focusNextPrevChild(bool next) override;

private:
    void setHover(TopologyItem item);
    void showCursor();
    void moved();
    void walk(QPointF direction);
    void chooseNode(ClusterNode node);
    std::optional<ClusterNode> chosenNode() const;
    void takeSelection(const ClusterSelection& selection);
    TopologyItem itemAt(QPointF at) const;
    /// Of what is pointed at, where links can be drawn from it.
    CanvasPorts ports() const;
    /// Another tool, or another scene: no gesture goes on.
    void toolChosen();
    std::unique_ptr<CanvasGesture> gestureFor(QPointF at, Qt::MouseButton button,
                                              Qt::KeyboardModifiers modifiers);
    void place(PalettePart part, QPointF at);
    bool editKey(QKeyEvent* event);
    bool arrowKey(QPointF direction, Qt::KeyboardModifiers modifiers);

    const QPixmap& paintedLayers();
    int widthBesideOverview() const;

    std::shared_ptr<TopologyScene> scene_;
    Viewport viewport_;
    TopologyFocus focus_;
    PlacedOverlay overlay_;
    CanvasLayers layers_;
    TopologyOverview overview_;
    LivePaint live_;
    bool fitted_ = true;  ///< the viewport follows the widget's size until a person moves it

    ClusterEditor* editor_ = nullptr;
    std::unique_ptr<CanvasGesture> gesture_;
    CanvasTool tool_;
    SnapSettings snap_;
    bool spaceHeld_ = false;
};

}  // namespace stagecraft::views::topology
