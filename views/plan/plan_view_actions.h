#pragma once

#include "views/common/block_colouring.h"

#include <QAction>

#include <array>

namespace stagecraft::views::plan {

/// What can be done in a plan's view, for its toolbar and a window's menus; the view connects what each does.
/// Keys are in PlanCommands.
class PlanViewActions : public QObject {
    Q_OBJECT
public:
    explicit PlanViewActions(QObject* parent);

    void setColouring(BlockColouring colouring);
    BlockColouring colouring() const;
    /// In the colours of the theme.
    void refreshIcons();

    QAction* criticalPath = nullptr;
    QAction* bubbles = nullptr;
    QAction* communication = nullptr;
    QAction* legend = nullptr;
    QAction* details = nullptr;
    QAction* predictions = nullptr;
    QAction* play = nullptr;
    QAction* fit = nullptr;
    QAction* fitAll = nullptr;
    QAction* copyPicture = nullptr;
    QAction* exportFigure = nullptr;
    QAction* find = nullptr;
    QAction* note = nullptr;
    QAction* lanes = nullptr;  ///< opens a menu
    QAction* keys = nullptr;
    QAction* previousEvent = nullptr;
    QAction* nextEvent = nullptr;
    std::array<QAction*, blockColouringCount> colourings{};  ///< one of them is checked

signals:
    void coloured(BlockColouring colouring);
};

}  // namespace stagecraft::views::plan
