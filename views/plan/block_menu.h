#pragma once

#include "views/timeline/chart_data.h"

#include <QObject>
#include <QPoint>

class QMenu;

namespace stagecraft::views::plan {

class PlanCommands;
class PlanNavigator;
class PlanSearch;
class PlanViewActions;
class Questions;

/// The menu of a block of the chart, or of idle time: what keys and toolbar do with it.
class BlockMenu : public QObject {
    Q_OBJECT
public:
    struct Parts {
        PlanViewActions& actions;
        PlanCommands& commands;
        PlanNavigator& navigator;
        PlanSearch& search;
        Questions& questions;
    };

    BlockMenu(const Parts& parts, QWidget* view);

    /// For a block; or for an instant of a lane in which it is idle (-1: of none).
    void show(const ChartData& data, quint32 block, int lane, double timeS, QPoint globalPosition);

signals:
    /// It is about to be shown: more can be added.
    void opening(QMenu* menu, quint32 block);

private:
    void addBlock(QMenu& menu, const ChartData& data, quint32 block);
    void addCommand(QMenu& menu, const QString& text, const char* command);

    Parts parts_;
    QWidget* view_;
};

}  // namespace stagecraft::views::plan
