#include "views/plan/details_pane.h"

#include <QLabel>
#include <QScrollBar>
#include <QTimer>
#include <QVBoxLayout>

namespace stagecraft::views::plan {

namespace {
constexpr int preferredWidth = 280;
constexpr int leastWidth = 200;
}  // namespace

DetailsPane::DetailsPane(QWidget* parent) : QScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMinimumWidth(leastWidth);
    auto* inner = new QWidget;
    column_ = new QVBoxLayout(inner);
    column_->setContentsMargins(12, 8, 12, 8);
    column_->setSpacing(16);
    hint_ = new QLabel(inner);
    hint_->setWordWrap(true);
    hint_->setProperty("role", "muted");
    column_->addWidget(hint_);
    column_->addStretch(1);
    setWidget(inner);
}

void DetailsPane::addSection(const QString& title, QWidget* content, bool first) {
    newSection(title, first)->layout()->addWidget(content);
}

QWidget* DetailsPane::newSection(const QString& title, bool first) {
    auto* section = new QWidget(widget());
    auto* lines = new QVBoxLayout(section);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(4);
    auto* heading = new QLabel(title, section);
    heading->setProperty("role", "heading");
    lines->addWidget(heading);
    section->hide();
    column_->insertWidget(first ? 1 : column_->count() - 1, section);
    return section;
}

void DetailsPane::setSectionShown(QWidget* content, bool shown) {
    content->parentWidget()->setVisible(shown);
    hint_->setVisible(empty());
}

void DetailsPane::showSection(QWidget* content) {
    QTimer::singleShot(0, content, [this, content] {
        QWidget* section = content->parentWidget();
        // Of one that is higher than the pane the beginning is shown.
        if (section->height() > viewport()->height())
            verticalScrollBar()->setValue(section->mapTo(widget(), QPoint()).y());
        else
            ensureWidgetVisible(section, 0, 0);
    });
}

void DetailsPane::setHint(const QString& text) { hint_->setText(text); }

QSize DetailsPane::sizeHint() const { return {preferredWidth, 400}; }

bool DetailsPane::empty() const {
    for (int i = 1; i + 1 < column_->count(); ++i)
        if (!column_->itemAt(i)->widget()->isHidden()) return false;
    return true;
}

}  // namespace stagecraft::views::plan
