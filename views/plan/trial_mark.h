#pragma once

#include "views/rooms.h"

#include <QString>
#include <QWidget>

namespace stagecraft::views::plan {

/// Over a plan's charts, where what they show is tried and not the plan: a frame, and the word for it in the
/// corner that the charts leave empty. The mouse goes through it, and nothing moves when it comes and goes.
class TrialMark : public QWidget {
    Q_OBJECT
public:
    /// @param charts over all of which it is
    explicit TrialMark(QWidget* charts);
    /// The room at the top left for the word.
    void setCorner(QSize corner);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QSize corner_;
};

}  // namespace stagecraft::views::plan
