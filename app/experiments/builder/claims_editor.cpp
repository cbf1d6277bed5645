#include "app/experiments/builder/claims_editor.h"

#include "app/experiments/builder/claim_form.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace stagecraft::app::experiments {

ClaimsEditor::ClaimsEditor(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    rowsColumn_ = new QVBoxLayout;
    form_ = new ClaimForm;
    form_->hide();
    add_ = new QPushButton(tr("Add a claim…"));
    add_->setObjectName(QStringLiteral("addClaim"));
    column->addWidget(newLine(tr("Claims"), "heading"));
    column->addLayout(rowsColumn_);
    column->addWidget(form_);
    column->addWidget(add_, 0, Qt::AlignLeft);
    connect(add_, &QPushButton::clicked, this, [this] { openForm(true); });
    connect(form_, &ClaimForm::closed, this, [this] { openForm(false); });
    connect(form_, &ClaimForm::added, this, [this](const Claim& claim) {
        std::vector<Claim> claims = claims_;
        claims.push_back(claim);
        emit edited(claims);
    });
}

void ClaimsEditor::openForm(bool shown) {
    form_->setVisible(shown);
    add_->setVisible(!shown);
    if (shown) emit formOpened(form_);
}

void ClaimsEditor::setExperiment(const Experiment& experiment) { form_->setExperiment(experiment); }

void ClaimsEditor::setClaims(const std::vector<Claim>& claims) {
    claims_ = claims;
    for (QWidget* row : rows_) {
        // The button that was clicked may be in it.
        row->hide();
        row->deleteLater();
    }
    rows_.clear();
    errors_.clear();
    for (std::size_t claim = 0; claim < claims_.size(); ++claim) {
        rows_.push_back(makeRow(claim));
        rowsColumn_->addWidget(rows_.back());
    }
}

QWidget* ClaimsEditor::makeRow(std::size_t claim) {
    auto* row = new QWidget;
    row->setObjectName(QStringLiteral("claimRow"));
    auto* grid = new QGridLayout(row);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setVerticalSpacing(0);
    grid->setColumnStretch(0, 1);
    QLabel* text = newParagraph(QString::fromStdString(claims_[claim].text), "plain");
    text->setToolTip(QString::fromStdString(claims_[claim].source.place));
    auto* remove = new QToolButton;
    remove->setObjectName(QStringLiteral("removeClaim"));
    remove->setIcon(lineIcon(QStringLiteral("remove")));
    remove->setToolTip(tr("Removes the claim"));
    remove->setAutoRaise(true);
    connect(remove, &QToolButton::clicked, this, [this, claim] {
        std::vector<Claim> claims = claims_;
        claims.erase(claims.begin() + static_cast<std::ptrdiff_t>(claim));
        emit edited(claims);
    });
    errors_.push_back(newParagraph({}, "error"));
    errors_.back()->hide();
    grid->addWidget(text, 0, 0);
    grid->addWidget(remove, 0, 1, Qt::AlignTop);
    grid->addWidget(errors_.back(), 1, 0);
    return row;
}

void ClaimsEditor::showError(std::size_t claim, const QString& sentence) {
    errors_[claim]->setText(sentence);
    errors_[claim]->setVisible(!sentence.isEmpty());
}

}  // namespace stagecraft::app::experiments
