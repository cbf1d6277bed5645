#include "app/panels/problems_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QToolButton>
#include <QTreeView>

namespace stagecraft {

ProblemsPanel::ProblemsPanel(ProblemsModel& model, QWidget* parent)
    : QStackedWidget(parent), list_(new QTreeView) {
    auto* nothing = new QLabel(tr("No problems."));
    nothing->setAlignment(Qt::AlignCenter);
    nothing->setProperty("role", "muted");
    addWidget(nothing);
    addWidget(list_);
    list_->setObjectName(QStringLiteral("problems"));
    list_->setModel(&model);
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->setAllColumnsShowFocus(true);
    list_->header()->setStretchLastSection(false);
    list_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    list_->header()->setSectionResizeMode(1, QHeaderView::Stretch);
    list_->header()->setSectionResizeMode(2, QHeaderView::ResizeToContents);
    connect(list_, &QTreeView::activated, this,
            [this, &model](const QModelIndex& index) { emit jumpRequested(model.row(index.row()).jump); });
    connect(&model, &QAbstractItemModel::modelReset, this, [this, &model] {
        setCurrentIndex(model.rowCount() ? 1 : 0);
        addRemedies(model);
    });
}

void ProblemsPanel::addRemedies(const ProblemsModel& model) {
    bool any = false;
    for (int row = 0; row < model.rowCount(); ++row) {
        if (model.row(row).remedy.isEmpty()) continue;
        any = true;
        auto* button = new QToolButton;
        button->setObjectName(QStringLiteral("remedy"));
        button->setText(model.row(row).remedy);
        button->setToolTip(tr("An edit that can be undone"));
        // The edit makes the rows anew, and the button with them.
        connect(
            button, &QToolButton::clicked, this,
            [this, problem = model.row(row)] { emit remedyRequested(problem); }, Qt::QueuedConnection);
        list_->setIndexWidget(model.index(row, 2), button);
    }
    list_->setColumnHidden(2, !any);
}

}  // namespace stagecraft
