#include "views/resources/step_bar.h"

#include "views/common/theme.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QTextLayout>
#include <QToolButton>

namespace stagecraft::views::resources {

namespace {

constexpr int mostRows = 3;  // four devices that begin at once

const QString separator = QStringLiteral("  ·  ");

/// The rows that the text takes when it is broken between words.
int rowsOf(const QString& text, const QFont& font, int width) {
    QTextLayout layout(text, font);
    layout.beginLayout();
    int rows = 0;
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine(), ++rows)
        line.setLineWidth(width);
    layout.endLayout();
    return rows;
}

}  // namespace

StepBar::StepBar(QWidget* parent) : QFrame(parent), instant_(new QLabel(this)), text_(new QLabel(this)) {
    setObjectName(QStringLiteral("stepBar"));
    QFont bold = instant_->font();
    bold.setBold(true);
    instant_->setFont(bold);
    instant_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    text_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    text_->setWordWrap(true);
    text_->setTextFormat(Qt::PlainText);
    auto* close = new QToolButton(this);
    close->setText(QStringLiteral("Done"));
    close->setToolTip(QStringLiteral("Show the whole plan again (Esc)"));
    close->setAutoRaise(true);
    close->setFocusPolicy(Qt::TabFocus);
    connect(close, &QToolButton::clicked, this, &StepBar::closed);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* row = new QHBoxLayout;
    column->addLayout(row, 1);
    row->setContentsMargins(12, 6, 8, 6);
    row->setSpacing(12);
    row->addWidget(instant_, 0, Qt::AlignTop);
    row->addWidget(text_, 1);
    row->addWidget(close, 0, Qt::AlignTop);
    // The height stays whatever the text, so that the chart below does not jump from step to step.
    setFixedHeight(mostRows * fontMetrics().lineSpacing() + 16);
}

void StepBar::addControls(QWidget* controls) {
    layout()->addWidget(controls);
    setFixedHeight(height() + controls->sizeHint().height());
}

void StepBar::setStep(const QString& instant, const QStringList& lines) {
    lines_ = lines;
    instant_->setText(instant);
    setToolTip(lines.join('\n'));
    layout()->activate();
    fit();
}

void StepBar::fit() {
    qsizetype shown = lines_.size();
    QString text = lines_.join(separator);
    const int width = text_->width();
    while (shown > 1 && rowsOf(text, text_->font(), width) > mostRows) {
        --shown;
        text = QStringList(lines_.mid(0, shown)).join(separator) + separator +
               QStringLiteral("and %1 more").arg(lines_.size() - shown);
    }
    text_->setText(text);
}

void StepBar::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    fit();
}

void StepBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    QColor tint = Theme::current().accent;
    tint.setAlpha(28);
    painter.fillRect(rect(), Theme::current().surface);
    painter.fillRect(rect(), tint);
}

}  // namespace stagecraft::views::resources
