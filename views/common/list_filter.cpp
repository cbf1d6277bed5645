#include "views/common/list_filter.h"

#include <QAbstractItemView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>

#include <algorithm>
#include <cstdlib>

namespace stagecraft::views::common {

namespace {

constexpr int pageRows = 10;

class DownKey : public QObject {
public:
    DownKey(QLineEdit& field, QAbstractItemView& view) : QObject(&field), view_(view) {
        field.installEventFilter(this);
    }

protected:
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() != QEvent::KeyPress || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Down)
            return false;
        if (!view_.currentIndex().isValid()) {
            view_.scrollToTop();
            view_.setCurrentIndex(view_.indexAt(view_.viewport()->rect().topLeft() + QPoint(1, 1)));
        }
        view_.setFocus(Qt::TabFocusReason);
        return true;
    }

private:
    QAbstractItemView& view_;
};

}  // namespace

int rowStep(int key) {
    switch (key) {
        case Qt::Key_Down:
            return 1;
        case Qt::Key_Up:
            return -1;
        case Qt::Key_PageDown:
            return pageRows;
        case Qt::Key_PageUp:
            return -pageRows;
        default:
            return 0;
    }
}

ListFilter::ListFilter(QLineEdit& field, QListWidget& list) : QObject(&field), field_(field), list_(list) {
    field_.installEventFilter(this);
    connect(&field_, &QLineEdit::textChanged, this, &ListFilter::narrow);
}

void ListFilter::narrow(const QString& text) {
    const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (int row = 0; row < list_.count(); ++row) {
        QListWidgetItem* item = list_.item(row);
        item->setHidden(!std::all_of(words.begin(), words.end(), [item](const QString& word) {
            return item->text().contains(word, Qt::CaseInsensitive) ||
                   item->toolTip().contains(word, Qt::CaseInsensitive);
        }));
    }
    const QListWidgetItem* current = list_.currentItem();
    if (!current || current->isHidden()) list_.setCurrentRow(shownFrom(-1, 1));
}

int ListFilter::shownFrom(int row, int step) const {
    const int by = step < 0 ? -1 : 1;
    int found = row;
    for (int at = row + by, left = std::abs(step); left > 0 && at >= 0 && at < list_.count(); at += by)
        if (!list_.item(at)->isHidden()) found = at, --left;
    return found;
}

bool ListFilter::eventFilter(QObject* watched, QEvent* event) {
    const int step = event->type() == QEvent::KeyPress ? rowStep(static_cast<QKeyEvent*>(event)->key()) : 0;
    if (watched != &field_ || step == 0) return QObject::eventFilter(watched, event);
    list_.setCurrentRow(shownFrom(list_.currentRow(), step));
    return true;
}

void leadInto(QLineEdit& field, QAbstractItemView& view) { new DownKey(field, view); }

}  // namespace stagecraft::views::common
