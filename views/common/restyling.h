#pragma once

#include "views/rooms.h"

#include <QApplication>
#include <QPointer>
#include <QTimer>

#include <functional>
#include <unordered_map>

namespace stagecraft::views::common {

/// Changes the colours of a style sheet in a frame, however many widgets there are: those that are seen are
/// styled at once, and as many more as there is time for; the others while nothing else is to do, or as they
/// are shown.
class Restyling : public QObject {
    Q_OBJECT
public:
    /// Of an application, which keeps it.
    static Restyling& of(QApplication& application);

    /// Does what sets a sheet that differs from the one in force in nothing but colours. Widgets do not hear
    /// of it as of another style: they would measure all that they show anew, and combo boxes make their
    /// lists. Colours come as they are polished, and with the palette.
    void change(const std::function<void()>& setSheet);
    bool isDone() const { return late_.empty(); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    explicit Restyling(QApplication& application);
    void putOff();
    void goOn();
    static void style(QWidget& widget);

    QApplication& application_;
    QTimer idle_;
    bool changing_ = false;
    std::unordered_map<QObject*, QPointer<QWidget>> late_;  ///< styled by the sheet before, and not seen
};

}  // namespace stagecraft::views::common
