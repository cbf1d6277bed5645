#include "app/panels/problems_panel.h"

#include <QHeaderView>
#include <QLabel>
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
    list_->header()->setStretchLastSection(true);
    list_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    connect(list_, &QTreeView::activated, this,
            [this, &model](const QModelIndex& index) { emit jumpRequested(model.row(index.row()).jump); });
    connect(&model, &QAbstractItemModel::modelReset, this,
            [this, &model] { setCurrentIndex(model.rowCount() ? 1 : 0); });
}

}  // namespace stagecraft
