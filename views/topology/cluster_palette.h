#pragma once

#include "views/topology/canvas_tool.h"

#include <QFrame>

#include <map>

class QToolButton;

namespace stagecraft::views::topology {

class TopologyCanvas;

/// What can be put onto the canvas, at its left edge: click a part and then the canvas, or drag it there.
class ClusterPalette : public QFrame {
    Q_OBJECT

public:
    explicit ClusterPalette(TopologyCanvas& canvas, QWidget* parent = nullptr);

signals:
    void templatesWanted();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QToolButton* addButton(const QString& id, const QString& icon, const QString& text, const QString& tip);
    void showTool();

    TopologyCanvas& canvas_;
    std::map<QObject*, PalettePart> parts_;
    std::map<QToolButton*, QString> icons_;
    QToolButton* choose_ = nullptr;
    QToolButton* link_ = nullptr;
    QPoint pressedAt_;
    bool dragging_ = false;
};

}  // namespace stagecraft::views::topology
