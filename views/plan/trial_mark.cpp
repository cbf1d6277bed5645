#include "views/plan/trial_mark.h"

#include "views/common/theme.h"

#include <QEvent>
#include <QPainter>

namespace stagecraft::views::plan {

namespace {
constexpr int frameWidth = 3;
}

TrialMark::TrialMark(QWidget* charts) : QWidget(charts) {
    setObjectName(QStringLiteral("trialMark"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    setGeometry(charts->rect());
    charts->installEventFilter(this);
    hide();
}

void TrialMark::setCorner(QSize corner) {
    corner_ = corner;
    update();
}

bool TrialMark::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) setGeometry(parentWidget()->rect());
    return QWidget::eventFilter(watched, event);
}

void TrialMark::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setPen(QPen(theme.accent, frameWidth));
    const int inset = frameWidth / 2;
    painter.drawRect(rect().adjusted(inset, inset, -inset - 1, -inset - 1));
    const QRect word(QPoint(0, 0), corner_);
    painter.fillRect(word, theme.accent);
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(readableOn(theme.accent));
    painter.drawText(word.adjusted(8, 0, -4, 0), Qt::AlignLeft | Qt::AlignVCenter, tr("Not applied"));
}

}  // namespace stagecraft::views::plan
