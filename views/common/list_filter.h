#pragma once

#include "views/rooms.h"

#include <QObject>

class QAbstractItemView;
class QLineEdit;
class QListWidget;

namespace stagecraft::views::common {

/// A field that narrows a list to the rows whose text and tooltip contain every word that is typed. The
/// current row is always one that is shown, and there is none where nothing is; the arrow keys move it from
/// the field, too.
class ListFilter : public QObject {
    Q_OBJECT
public:
    ListFilter(QLineEdit& field, QListWidget& list);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void narrow(const QString& text);
    /// @return of the shown row that is `step` shown rows after this one, as far as there are any; -1: none
    /// is
    int shownFrom(int row, int step) const;

    QLineEdit& field_;
    QListWidget& list_;
};

/// How many rows an arrow or page key moves the current row by; 0 for other keys.
int rowStep(int key);

/// Down in a field that filters a table or a tree goes into that, to its current row or its first.
void leadInto(QLineEdit& field, QAbstractItemView& view);

}  // namespace stagecraft::views::common
