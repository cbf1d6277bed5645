#pragma once

#include "views/rooms.h"

#include <QWidget>

#include <vector>

class QTableView;

namespace stagecraft::views::profile {

/// A line under a table with one text per column, which moves with the table's columns.
class TotalsRow : public QWidget {
    Q_OBJECT
public:
    explicit TotalsRow(QTableView* table);

    /// Texts by logical column; those beyond the given ones are empty. Tooltips likewise.
    void setTexts(std::vector<QString> texts, std::vector<QString> tooltips);
    const std::vector<QString>& texts() const { return texts_; }
    std::vector<int> neededWidths() const;  ///< pixels in which each text is read whole

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRect cell(int column) const;

    QTableView* table_;
    std::vector<QString> texts_;
    std::vector<QString> tooltips_;
};

}  // namespace stagecraft::views::profile
