#pragma once

#include "views/rooms.h"

#include <QApplication>
#include <QTimer>

namespace stagecraft::views::common {

/// What a style sheet says of a widget is looked up once, and kept by the widget's address. Qt 6.4 does not
/// hear of the end of parts that no sheet styles, as the list of a combo box and the line of a number box:
/// each that ever was leaves some hundred bytes (QStyleSheetStyle::renderRule makes the entry before it
/// asks). So all is forgotten every few minutes, and looked up again for what is painted then.
class StyleLookups : public QObject {
    Q_OBJECT
public:
    /// Of an application, which keeps it.
    explicit StyleLookups(QApplication& application);

    void forget();

private:
    QApplication& application_;
    QTimer timer_;
};

}  // namespace stagecraft::views::common
