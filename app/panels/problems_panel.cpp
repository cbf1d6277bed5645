#include "app/panels/problems_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QTreeView>

#include <algorithm>

namespace stagecraft::app::panels {
namespace {

constexpr int itemPadding = 4;  // of an item in the style sheet

/// Rows as high as their text is in the width that its column has.
class WholeText : public QStyledItemDelegate {
public:
    explicit WholeText(QTreeView* list) : QStyledItemDelegate(list), list_(*list) {}
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QSize size = QStyledItemDelegate::sizeHint(option, index);
        if (index.column() != ProblemsModel::textColumn) return size;
        const int width = list_.columnWidth(index.column()) - 2 * itemPadding;
        const QRect text = option.fontMetrics.boundingRect(QRect(0, 0, std::max(1, width), 0),
                                                           Qt::TextWordWrap, index.data().toString());
        return {size.width(), std::max(size.height(), text.height() + 2 * itemPadding)};
    }

private:
    const QTreeView& list_;
};

}  // namespace

ProblemsPanel::ProblemsPanel(ProblemsModel& model, QWidget* parent)
    : QStackedWidget(parent), model_(model), list_(new QTreeView) {
    auto* nothing = new QLabel(tr("No problems."));
    nothing->setAlignment(Qt::AlignCenter);
    nothing->setProperty("role", "muted");
    addWidget(nothing);
    addWidget(list_);
    list_->setObjectName(QStringLiteral("problems"));
    list_->setModel(&model);
    list_->setRootIsDecorated(false);
    list_->setWordWrap(true);
    list_->setItemDelegate(new WholeText(list_));
    connect(list_->header(), &QHeaderView::sectionResized, list_, [this](int column) {
        if (column == ProblemsModel::textColumn)
            QMetaObject::invokeMethod(
                list_, [list = list_] { list->doItemsLayout(); }, Qt::QueuedConnection);
    });
    list_->setAllColumnsShowFocus(true);
    list_->header()->setStretchLastSection(false);
    list_->header()->setSectionResizeMode(ProblemsModel::whereColumn, QHeaderView::ResizeToContents);
    list_->header()->setSectionResizeMode(ProblemsModel::textColumn, QHeaderView::Stretch);
    list_->header()->setSectionResizeMode(ProblemsModel::fixColumn, QHeaderView::Fixed);
    connect(list_, &QTreeView::activated, this,
            [this](const QModelIndex& index) { emit jumpRequested(model_.row(index.row()).jump); });
    connect(&model, &QAbstractItemModel::modelReset, this, &ProblemsPanel::showRows);
    showRows();
}

void ProblemsPanel::showRows() {
    setCurrentIndex(model_.rowCount() ? 1 : 0);
    list_->setColumnHidden(ProblemsModel::fixColumn, !model_.hasFixes());
    addButtons();
}

void ProblemsPanel::addButtons() {
    int widest = 0;
    for (int row = 0; row < model_.rowCount(); ++row) {
        const ProblemFix& fix = model_.row(row).fix;
        if (!fix) continue;
        auto* button = new QPushButton(fix.text);
        button->setObjectName(QStringLiteral("fix"));
        button->setProperty("inRow", true);
        button->ensurePolished();  // while the panel is hidden it would not know its own size
        widest = std::max(widest, button->sizeHint().width());
        // What is done may take the row away, and the button with it, while the click is still handled.
        connect(
            button, &QPushButton::clicked, this, [this, fix] { emit fixRequested(fix); },
            Qt::QueuedConnection);
        list_->setIndexWidget(model_.index(row, ProblemsModel::fixColumn), button);
    }
    if (widest) list_->header()->resizeSection(ProblemsModel::fixColumn, widest + 2 * itemPadding);
}

}  // namespace stagecraft::app::panels
