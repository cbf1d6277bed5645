#include "app/start/memory_notice.h"

#include "views/common/widgets.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace stagecraft::app::start {
namespace {

constexpr int textLines = 3;

}  // namespace

MemoryNotice::MemoryNotice(QWidget* parent)
    : QWidget(parent), refusal_(newParagraph({}, "error")), text_(new QLabel), buttons_(new QHBoxLayout) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    text_->setObjectName(QStringLiteral("memoryOutlook"));
    text_->setWordWrap(true);
    text_->setTextFormat(Qt::PlainText);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    text_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    // Nothing moves where one text follows another.
    text_->setMinimumHeight(textLines * text_->fontMetrics().lineSpacing());
    buttons_->setSpacing(8);
    buttons_->addStretch();
    refusal_->setObjectName(QStringLiteral("refusal"));
    refusal_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    refusal_->hide();
    column->addWidget(refusal_);
    column->addWidget(newLine(tr("Before anything runs"), "heading"));
    column->addWidget(text_);
    column->addLayout(buttons_);
}

void MemoryNotice::setText(const QString& text, const char* role) {
    text_->setText(text);
    setRole(*text_, role);
}

void MemoryNotice::clearButtons() {
    while (buttons_->count() > 1) {
        QLayoutItem* item = buttons_->takeAt(0);
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
}

void MemoryNotice::showOutlook(const MemoryOutlook& outlook, const std::vector<MemoryRemedy>& remedies) {
    clearButtons();
    setText(QString::fromStdString(outlookInWords(outlook)), outlook.cannotFit() ? "error" : "");
    for (int i = 0; i < static_cast<int>(remedies.size()); ++i) {
        auto* button = new QPushButton(QString::fromStdString(remedies[static_cast<std::size_t>(i)].label));
        button->setObjectName(QStringLiteral("remedy:%1").arg(i));
        button->setAutoDefault(false);
        connect(button, &QPushButton::clicked, this, [this, i] { emit remedyChosen(i); });
        buttons_->insertWidget(i, button);
    }
}

void MemoryNotice::showError(const QString& text) {
    clearButtons();
    setText(text, "error");
}

void MemoryNotice::showFinding(const QString& text, bool isGood) {
    clearButtons();
    setText(text, isGood ? "" : "error");
}

void MemoryNotice::setRefusal(const QString& text) {
    refusal_->setText(text);
    refusal_->setVisible(!text.isEmpty());
}

QString MemoryNotice::refusal() const { return refusal_->text(); }

void MemoryNotice::showBusy() {
    clearButtons();
    setText(tr("Checking…"), "muted");
}

}  // namespace stagecraft::app::start
