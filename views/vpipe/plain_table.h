#pragma once

#include "views/rooms.h"

#include <QStringList>

#include <set>

class QTableWidget;
class QTableWidgetItem;

namespace stagecraft::views::vpipe {

/// A table of rows that can be chosen and not be edited, in the manner of the comparison. Columns of text
/// are to the left, those of numbers to the right.
QTableWidget* plainTable(const QString& name, const QStringList& headings, const std::set<int>& textColumns);
QTableWidgetItem* plainCell(const QString& text, bool number = true);

}  // namespace stagecraft::views::vpipe
