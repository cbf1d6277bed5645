#include "app/start/sample_card.h"

#include "app/start/sample_picture.h"
#include "views/common/theme.h"

#include <QEvent>
#include <QPainter>

namespace stagecraft {
namespace {

constexpr int pictureHeight = 136;
constexpr int margin = 16;

}  // namespace

SampleCard::SampleCard(const Sample& sample, QWidget* parent) : QAbstractButton(parent), sample_(sample) {
    setObjectName(QStringLiteral("sample:") + sample.id);
    setText(sample.title);
    setToolTip(QString::fromStdString(sample.project->problem.profile.source));
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMinimumWidth(240);
}

void SampleCard::setRun(std::shared_ptr<const PlanRun> run) {
    run_ = std::move(run);
    update();
}

QSize SampleCard::sizeHint() const {
    return {304, pictureHeight + 3 * margin + 6 * fontMetrics().lineSpacing()};
}

bool SampleCard::event(QEvent* event) {
    if (event->type() == QEvent::HoverEnter || event->type() == QEvent::HoverLeave) update();
    return QAbstractButton::event(event);
}

void SampleCard::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool lively = underMouse() || hasFocus();
    painter.setPen(QPen(lively ? theme.accent : theme.line, lively ? 1.5 : 1));
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 8, 8);
    paintProblem(painter, QRectF(margin, margin, width() - 2 * margin, pictureHeight), sample_.project->problem,
                 run_.get());

    const int line = painter.fontMetrics().lineSpacing();
    QRect text(margin, pictureHeight + 2 * margin, width() - 2 * margin, 2 * line);
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(theme.text);
    QRect used;
    painter.drawText(text, Qt::TextWordWrap, sample_.title, &used);
    painter.setFont(font());
    painter.drawText(QRect(margin, used.bottom() + 4, text.width(), line), sample_.facts);
    used.setBottom(used.bottom() + 4 + line);
    painter.setPen(theme.mutedText);
    text = QRect(margin, used.bottom() + 4, text.width(), height() - margin / 2 - used.bottom());
    const QString about = sample_.origin + QStringLiteral(". ") + sample_.about;
    // As many whole lines as there is room for.
    QString shown = about;
    while (painter.fontMetrics().boundingRect(QRect(0, 0, text.width(), 9999), Qt::TextWordWrap, shown).height() >
               text.height() - 4 &&
           shown.contains(' '))
        shown = shown.left(shown.lastIndexOf(' ')).remove(QStringLiteral("…")) + QStringLiteral("…");
    painter.drawText(text, Qt::TextWordWrap, shown);
}

}  // namespace stagecraft
