#include "app/start/sample_card.h"

#include "app/document/run_summary.h"
#include "app/start/sample_picture.h"
#include "core/base/units.h"
#include "core/planners/planner.h"
#include "views/common/theme.h"

#include <QEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QTextLayout>

namespace stagecraft::app::start {
namespace {

constexpr int pictureHeight = 136;
constexpr int margin = 16;

/// As many whole lines as there is room for; the last one says by an ellipsis that there is more.
void drawWrapped(QPainter& painter, const QRect& area, const QString& text) {
    const QFontMetrics metrics = painter.fontMetrics();
    QTextLayout layout(text, painter.font());
    layout.beginLayout();
    int top = area.top();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(area.width());
        const bool last = top + 2 * metrics.lineSpacing() > area.bottom();
        const QString shown =
            last ? metrics.elidedText(text.mid(line.textStart()), Qt::ElideRight, area.width())
                 : text.mid(line.textStart(), line.textLength());
        painter.drawText(area.left(), top + metrics.ascent(), shown);
        top += metrics.lineSpacing();
        if (last) break;
    }
    layout.endLayout();
}

/// No line ends between a number and its unit.
QString unitsKept(QString text) {
    static const QRegularExpression gap(QStringLiteral("(?<=\\d) (?=[\\w%])"));
    return text.replace(gap, QString(QChar::Nbsp));
}

}  // namespace

SampleCard::SampleCard(const Sample& sample, QWidget* parent) : QAbstractButton(parent), sample_(sample) {
    setObjectName(QStringLiteral("sample:") + sample.id);
    setText(sample.title);
    setToolTip(QStringLiteral("<p>%1. %2</p>").arg(sample.origin, sample.about.toHtmlEscaped()));
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

QString SampleCard::summaryText() const {
    const int count = run_->result.plan.stageCount();
    const QString stages = count == 1 ? tr("one stage") : tr("%1 stages").arg(count);
    const Metrics& metrics = run_->evaluation->metrics;
    const QString time = QString::fromStdString(formatSeconds(run_->iterationTimeS()));
    const QString bubbles = QString::fromStdString(formatPercent(metrics.bubbleFraction));
    if (const Guarantee* guarantee = exceededGuarantee(*run_))
        return tr("Opens with a plan that %1.").arg(excessOver(*guarantee, *run_));
    return sample_.project->plans.empty()
               ? tr("%1 will plan %2: %3 per iteration, %4 bubbles.")
                     .arg(QString::fromStdString(allPlanners().front()->description().title), stages, time,
                          bubbles)
               : tr("Opens with a plan of %1: %2 per iteration, %3 bubbles.").arg(stages, time, bubbles);
}

QSize SampleCard::sizeHint() const {
    return {304, pictureHeight + 3 * margin + 6 * fontMetrics().lineSpacing()};
}

bool SampleCard::event(QEvent* event) {
    if (event->type() == QEvent::HoverEnter || event->type() == QEvent::HoverLeave) update();
    return QAbstractButton::event(event);
}

void SampleCard::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return click();
    QAbstractButton::keyPressEvent(event);
}

void SampleCard::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    // The focus is a ring, the pointer a tint.
    painter.setPen(QPen(hasFocus() ? theme.accent : theme.line, hasFocus() ? 2 : 1));
    painter.setBrush(underMouse() ? theme.window : theme.raised);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 8, 8);
    paintProblem(painter, QRectF(margin, margin, width() - 2 * margin, pictureHeight),
                 sample_.project->problem, run_.get());

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
    drawWrapped(painter, text,
                run_ && run_->ok() ? QStringLiteral("%1. %2").arg(sample_.origin, unitsKept(summaryText()))
                                   : sample_.origin);
}

}  // namespace stagecraft::app::start
