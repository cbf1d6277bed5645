#include "app/start/source_list.h"

#include "views/common/list_filter.h"
#include "views/common/widgets.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

namespace stagecraft::app::start {

SourceList::SourceList(const QString& heading, const QString& name, const QString& hint, QWidget* parent)
    : QWidget(parent), field_(new QLineEdit), list_(new QListWidget), below_(new QHBoxLayout) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    QLabel* label = newLine(heading, "heading");
    label->setBuddy(field_);
    const QString plain = QString(heading).remove(QLatin1Char('&'));
    field_->setObjectName(QStringLiteral("find:") + name);
    field_->setAccessibleName(tr("Find: %1").arg(plain));
    field_->setPlaceholderText(hint);
    field_->setClearButtonEnabled(true);
    list_->setObjectName(name);
    list_->setAccessibleName(plain);
    list_->setMinimumHeight(72);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setTextElideMode(Qt::ElideMiddle);
    column->addWidget(label);
    column->addWidget(field_);
    column->addWidget(list_, 1);
    column->addLayout(below_);
    new ListFilter(*field_, *list_);
    connect(list_, &QListWidget::currentRowChanged, this, &SourceList::chosen);
}

void SourceList::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    list_->doItemsLayout();  // rows laid out before the style sheet came are too low
}

void SourceList::add(const QString& title, const QString& tip) {
    auto* item = new QListWidgetItem(title, list_);
    item->setToolTip(tip);
    item->setData(Qt::UserRole, added_++);
    if (list_->currentRow() < 0) list_->setCurrentItem(item);
}

void SourceList::addFirst(const QString& title, const QString& tip) {
    field_->clear();
    auto* item = new QListWidgetItem(title);
    item->setToolTip(tip);
    item->setData(Qt::UserRole, -1 - opened_++);
    list_->insertItem(0, item);
    list_->setCurrentItem(item);
    list_->scrollToItem(item);
}

int SourceList::current() const { return list_->currentItem()->data(Qt::UserRole).toInt(); }

bool SourceList::isAny() const { return list_->currentItem(); }

}  // namespace stagecraft::app::start
