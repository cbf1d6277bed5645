#pragma once

#include "core/editing/plan_edit.h"
#include "views/common/canvas.h"
#include "views/strip/strip_layout.h"

#include <memory>

class QMenu;

namespace stagecraft::views::strip {

/// The partition of a plan: its layers as a ribbon, the stages above it and their GPUs below, of one
/// pipeline. Boundaries and GPUs can be dragged; the wheel makes the ribbon wider than the strip. It changes
/// nothing itself: while something moves it shows what that would be and says so (`proposed`), and what is
/// let go it asks for (`requested`) and shows until it is given a plan.
class PartitionStrip : public Canvas {
    Q_OBJECT
public:
    explicit PartitionStrip(QWidget* parent = nullptr);

    /// A drag that is under way ends without a word.
    void setPlan(std::shared_ptr<const Problem> problem, const Plan& plan);
    /// Back to the plan as it was given.
    void putBack();
    void setPipeline(int pipeline);
    int pipeline() const { return pipeline_; }
    bool isDragging() const { return drag_.kind != Drag::none; }
    /// What is shown: the plan, or what a drag would make of it.
    const Plan& shownPlan() const { return shown_; }
    const StripLayout& parts() const { return layout_; }
    int chosenStage() const { return chosen_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {200, sizeHint().height()}; }

signals:
    void proposed(const stagecraft::editing::PlanEdit& edit);
    /// A drag is where it began, or was given up.
    void withdrawn();
    void requested(const stagecraft::editing::PlanEdit& edit);
    /// What was asked for cannot be done, and why.
    void refused(QString reason);
    void deviceHovered(int device);  ///< -1: none

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void lookChanged() override { layOut(); }
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void hoverEnded() override { hover({-1, -1}); }
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Drag {
        enum Kind { none, boundary, chip } kind = none;
        int stage = 0;  ///< before the boundary; of the chip, -1: free
        int device = -1;
        int layers = 0;   ///< by which the boundary has moved
        int target = -1;  ///< stage under the chip
        QPointF from, at;
        bool begun = false;  ///< a chip is dragged once it has left its place
    };

    void layOut();
    void zoomTo(double scale, double offset);
    void showPlan(const Plan& plan);
    void dragBoundary(double x);
    void dragChip(QPointF at);
    void endDrag();
    std::optional<PlanEdit> chipEdit() const;
    /// Shows the plan after the edit, or says why there is none.
    bool tryOut(const PlanEdit& edit);
    void request(const PlanEdit& edit);
    void split(int stage, int layer);
    void addReplica(int stage);
    void removeReplica(int stage);
    void moveLastDevice(int stage, int step);
    void moveBoundary(int stage, int layers);
    void recompute(int firstLayer, int lastLayer, LayerMemory memory);
    void addRecomputeMenu(QMenu& menu, const QString& title, int firstLayer, int lastLayer);
    void addGroupMenu(QMenu& menu, int stage);
    void choose(int stage);
    void fillMenu(QMenu& menu, QPointF at);
    QString toolTipAt(QPointF at) const;
    QString layerText(int layer) const;
    QString stageText(int stage) const;
    void hover(QPointF at);

    std::shared_ptr<const Problem> problem_;
    Plan plan_, shown_;
    int pipeline_ = 0;
    int chosen_ = -1;  ///< stage
    int hoveredBoundary_ = -1, hoveredChip_ = -1;
    StripLayout layout_;
    StripZoom zoom_;
    Drag drag_;
};

}  // namespace stagecraft::views::strip
