#pragma once

#include "views/common/viewport.h"
#include "views/topology/topology_scene.h"

#include <QPainter>
#include <QPointF>
#include <QRectF>

#include <optional>
#include <vector>

namespace stagecraft::views::topology {

/// What a dragged thing is drawn to.
struct SnapSettings {
    bool grid = true;
    bool guides = true;
    static constexpr double gridStep = 8;  ///< scene units
};

/// Where a dragged rectangle ends up, and the lines along which it then aligns with others.
struct Snapped {
    QPointF by;                    ///< to add to where it was dragged to
    std::optional<double> guideX;  ///< a vertical line
    std::optional<double> guideY;
};

/// Pulls `dragged` onto the grid, or, where there is none, until an edge or middle of it aligns with one of
/// `others`' not farther than `reach` away. With the grid on a guide is shown where both agree.
Snapped snap(const QRectF& dragged, const std::vector<QRectF>& others, const SnapSettings& settings,
             double reach);

class ClusterEditor;

/// What gestures see of the canvas on which they are made. Points are in widget coordinates.
class GestureSurface {
public:
    virtual ~GestureSurface() = default;

    virtual const TopologyScene& scene() const = 0;
    virtual const Viewport& viewport() const = 0;
    virtual void setViewport(const Viewport& viewport) = 0;
    virtual QRectF screen() const = 0;
    virtual ClusterEditor* editor() const = 0;  ///< null: nothing can be edited
    virtual const ClusterSelection& selection() const = 0;
    virtual SnapSettings snapSettings() const = 0;

    virtual std::optional<ClusterNode> nodeAt(QPointF at) const = 0;
    virtual void clickAt(QPointF at, Qt::KeyboardModifiers modifiers) = 0;
    virtual void centreByOverview(QPointF at) = 0;
    virtual void repaintGesture() = 0;
};

/// What happens between the press and the release of a button. Points are in widget coordinates. Nothing is
/// edited before finish(); cancel() leaves everything as it was.
class CanvasGesture {
public:
    CanvasGesture(GestureSurface& canvas, QPointF pressedAt) : canvas_(canvas), pressedAt_(pressedAt) {}
    virtual ~CanvasGesture() = default;

    void moveTo(QPointF at, Qt::KeyboardModifiers modifiers);
    /// @return false if it continues until the next release
    virtual bool finish(QPointF at, Qt::KeyboardModifiers modifiers);
    virtual void cancel() {}
    virtual void paint(QPainter&) const {}
    virtual Qt::CursorShape cursor() const { return Qt::ArrowCursor; }

protected:
    /// Called once the pointer has left the place where it was pressed.
    virtual void drag(QPointF at, Qt::KeyboardModifiers modifiers) = 0;
    virtual void drop(QPointF, Qt::KeyboardModifiers) {}

    GestureSurface& canvas_;
    QPointF pressedAt_;
    bool dragging_ = false;
};

class PanGesture : public CanvasGesture {
public:
    PanGesture(GestureSurface& canvas, QPointF pressedAt);
    void cancel() override;
    Qt::CursorShape cursor() const override { return Qt::ClosedHandCursor; }

private:
    void drag(QPointF at, Qt::KeyboardModifiers modifiers) override;
    Viewport before_;
};

/// Chooses what is in a rectangle, in addition to what is chosen if `adds`.
class BandGesture : public CanvasGesture {
public:
    BandGesture(GestureSurface& canvas, QPointF pressedAt, bool adds);
    void cancel() override;
    void paint(QPainter& painter) const override;

private:
    void drag(QPointF at, Qt::KeyboardModifiers modifiers) override;
    ClusterSelection before_;
    bool adds_;
    QRectF band_;
};

/// Moves what is chosen.
class MoveGesture : public CanvasGesture {
public:
    MoveGesture(GestureSurface& canvas, QPointF pressedAt);
    void paint(QPainter& painter) const override;
    Qt::CursorShape cursor() const override { return Qt::SizeAllCursor; }

private:
    void drag(QPointF at, Qt::KeyboardModifiers modifiers) override;
    void drop(QPointF at, Qt::KeyboardModifiers modifiers) override;
    void prepare();
    void findHome();

    std::vector<QRectF> ghosts_, others_;
    std::vector<QLineF> inner_;  ///< links among what moves and
    std::vector<QLineF> outer_;  ///< from it (first point) to what stays
    QRectF bounds_;
    QPointF by_;
    Snapped snapped_;
    int into_ = -1;          ///< the server that it is dropped into, by index into the layout; -1: none
    std::vector<int> from_;  ///< the servers that it leaves if it is dropped there
    bool wholeServers_ = false;
};

/// Joins two things: press on one, release over the other, or click the one and then the other.
class ConnectGesture : public CanvasGesture {
public:
    ConnectGesture(GestureSurface& canvas, QPointF pressedAt, ClusterNode from);
    bool finish(QPointF at, Qt::KeyboardModifiers modifiers) override;
    void paint(QPainter& painter) const override;
    Qt::CursorShape cursor() const override { return Qt::CrossCursor; }

private:
    void drag(QPointF at, Qt::KeyboardModifiers modifiers) override;
    ClusterNode from_;
    QPointF at_;
    std::optional<ClusterNode> to_;
    bool clicked_ = false;
};

/// Moves the view by the overview in the corner.
class OverviewGesture : public CanvasGesture {
public:
    OverviewGesture(GestureSurface& canvas, QPointF pressedAt);
    bool finish(QPointF at, Qt::KeyboardModifiers modifiers) override;

private:
    void drag(QPointF at, Qt::KeyboardModifiers modifiers) override;
};

}  // namespace stagecraft::views::topology
