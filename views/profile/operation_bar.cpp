#include "views/profile/operation_bar.h"

#include "views/common/theme.h"

#include <QComboBox>
#include <QDoubleValidator>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>

namespace stagecraft::views::profile {

namespace {

constexpr int mostCopies = 10'000;

}  // namespace

OperationBar::OperationBar(QWidget* parent)
    : QWidget(parent),
      verb_(new QLabel),
      numbers_(new QComboBox),
      by_(new QLabel),
      factor_(new QLineEdit("1")),
      copies_(new QSpinBox),
      chosen_(new QLabel),
      apply_(new QPushButton("Apply")) {
    setObjectName(QStringLiteral("operationBar"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(16, 4, 16, 4);
    row->setSpacing(8);
    numbers_->addItem("times", int(ProfileNumbers::times));
    numbers_->addItem("activations", int(ProfileNumbers::activations));
    numbers_->addItem("parameters", int(ProfileNumbers::parameters));
    numbers_->setObjectName(QStringLiteral("scaledNumbers"));
    factor_->setObjectName(QStringLiteral("factor"));
    factor_->setMaximumWidth(96);
    factor_->setAlignment(Qt::AlignRight);
    auto* numbers = new QDoubleValidator(0, 1e9, 12, factor_);
    numbers->setLocale(QLocale::c());
    factor_->setValidator(numbers);
    copies_->setObjectName(QStringLiteral("copies"));
    copies_->setRange(2, mostCopies);
    apply_->setObjectName(QStringLiteral("applyOperation"));
    auto* close = new QToolButton;
    close->setIcon(lineIcon(QStringLiteral("close")));
    close->setToolTip("Close (Esc)");
    for (QWidget* part :
         std::initializer_list<QWidget*>{verb_, numbers_, by_, factor_, copies_, chosen_, apply_})
        row->addWidget(part);
    row->addStretch();
    row->addWidget(close);
    connect(apply_, &QPushButton::clicked, this, &OperationBar::apply);
    connect(factor_, &QLineEdit::textChanged, this,
            [this] { apply_->setEnabled(factor_->hasAcceptableInput()); });
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    hide();
}

void OperationBar::show(bool factor) {
    asksFactor_ = factor;
    verb_->setText(factor ? "Multiply" : "Repeat to a total of");
    by_->setText(factor ? "by" : "");
    numbers_->setVisible(factor);
    by_->setVisible(factor);
    factor_->setVisible(factor);
    copies_->setVisible(!factor);
    setChosen(layers_);
    setVisible(true);
    apply_->setEnabled(!factor || factor_->hasAcceptableInput());
    QLineEdit* field = factor ? factor_ : copies_->findChild<QLineEdit*>();
    field->setFocus();
    field->selectAll();
}

void OperationBar::askFactor() { show(true); }
void OperationBar::askCopies() { show(false); }

void OperationBar::setChosen(const QString& layers) {
    layers_ = layers;
    chosen_->setText((asksFactor_ ? "of " : "times in a row: ") + layers);
}

void OperationBar::apply() {
    if (!apply_->isEnabled()) return;
    if (asksFactor_)
        emit scaleRequested(static_cast<ProfileNumbers>(numbers_->currentData().toInt()),
                            QLocale::c().toDouble(factor_->text()));
    else
        emit repeatRequested(copies_->value());
}

void OperationBar::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) return hide();
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return apply();
    QWidget::keyPressEvent(event);
}

}  // namespace stagecraft::views::profile
