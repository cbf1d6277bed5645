#include "views/vpipe/plain_table.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QTableWidget>

namespace stagecraft::views::vpipe {

namespace {

/// Letters are keys of the view around it; a search for what is typed is of no use in a few rows.
class RowTable final : public QTableWidget {
public:
    using QTableWidget::QTableWidget;

protected:
    void keyPressEvent(QKeyEvent* event) override {
        if (event->key() >= Qt::Key_A && event->key() <= Qt::Key_Z &&
            !(event->modifiers() & Qt::ControlModifier))
            event->ignore();
        else
            QTableWidget::keyPressEvent(event);
    }
};

}  // namespace

QTableWidget* plainTable(const QString& name, const QStringList& headings, const std::set<int>& textColumns) {
    auto* table = new RowTable(0, static_cast<int>(headings.size()));
    table->setObjectName(name);
    table->setHorizontalHeaderLabels(headings);
    for (int column = 0; column < table->columnCount(); ++column)
        table->horizontalHeaderItem(column)->setTextAlignment(
            (textColumns.count(column) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setShowGrid(false);
    table->setTabKeyNavigation(false);
    table->verticalHeader()->hide();
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table->horizontalHeader()->setStretchLastSection(true);
    return table;
}

QTableWidgetItem* plainCell(const QString& text, bool number) {
    auto* item = new QTableWidgetItem(text);
    item->setTextAlignment((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return item;
}

}  // namespace stagecraft::views::vpipe
