#pragma once

#include "views/rooms.h"

#include <QObject>

#include <vector>

class QTableView;

namespace stagecraft::views::common {

/// Keeps the columns of a table as wide as their contents and titles. What the table has to spare goes to all
/// of them in proportion; where it is too narrow, one column gives way, down to its contents or a least
/// width, before the table scrolls.
class TableColumns : public QObject {
    Q_OBJECT
public:
    /// A child of the table. `yielding`: the column that gives way, which never takes more than `most` pixels
    /// for its contents.
    TableColumns(QTableView* table, int yielding, int least, int most);
    /// To be called when the contents have changed.
    void measure();
    /// Pixels that something beside the table needs in each column, such as a row of totals.
    void makeRoom(std::vector<int> pixels);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void spread();
    void widen();

    QTableView* table_;
    int yielding_;
    int least_;
    int most_;
    std::vector<int> wanted_;
    std::vector<int> beside_;
};

}  // namespace stagecraft::views::common
