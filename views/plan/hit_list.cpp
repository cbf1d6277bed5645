#include "views/plan/hit_list.h"

#include "views/timeline/time_axis.h"

#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace stagecraft::views::plan {

namespace {
constexpr std::size_t mostHitRows = 2000;
constexpr int hitListHeight = 320;
}  // namespace

HitList::HitList(QWidget* parent) : QWidget(parent), list_(new QTreeWidget(this)), more_(new QLabel(this)) {
    list_->setObjectName(QStringLiteral("hitList"));
    list_->setColumnCount(2);
    list_->setHeaderHidden(true);
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->setFocusPolicy(Qt::TabFocus);  // after a click the keys are still the chart's
    list_->setTextElideMode(Qt::ElideMiddle);
    list_->header()->setStretchLastSection(false);
    list_->header()->setMinimumSectionSize(24);
    more_->setProperty("role", "muted");
    more_->setWordWrap(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addWidget(list_, 1);
    column->addWidget(more_);
    list_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    list_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    const auto choose = [this](QTreeWidgetItem* item) { emit chosen(list_->indexOfTopLevelItem(item)); };
    connect(list_, &QTreeWidget::itemClicked, this, choose);
    connect(list_, &QTreeWidget::itemActivated, this, choose);
}

void HitList::setHits(const ChartData* chart, const std::vector<std::uint32_t>& blocks) {
    list_->clear();
    const std::size_t shown = std::min(blocks.size(), mostHitRows);
    QList<QTreeWidgetItem*> rows;
    for (std::size_t i = 0; i < shown; ++i) {
        const Timeline& timeline = chart->timeline();
        const QString what = QString::fromStdString(describeBlock(timeline, blocks[i]));
        auto* row = new QTreeWidgetItem(
            {what, QString::fromStdString(formatInstant(timeline.startS[blocks[i]], chart->endS / 1000))});
        row->setToolTip(0, what);
        row->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
        rows << row;
    }
    list_->addTopLevelItems(rows);
    more_->setVisible(blocks.size() > shown);
    more_->setText(QStringLiteral("and %L1 more").arg(blocks.size() - shown));
}

void HitList::setCurrent(int hit) {
    QTreeWidgetItem* row = list_->topLevelItem(hit);
    list_->setCurrentItem(row);
    if (row) list_->scrollToItem(row);
}

QSize HitList::sizeHint() const { return {200, hitListHeight}; }

}  // namespace stagecraft::views::plan
