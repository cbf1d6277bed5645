#include "app/experiments/builder/about_form.h"

#include "app/experiments/builder/draft_history.h"
#include "views/common/widgets.h"

#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace stagecraft::app::experiments {

AboutForm::AboutForm(DraftHistory& history, QWidget* parent) : QWidget(parent), history_(history) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    about_ = new QPlainTextEdit;
    about_->setObjectName(QStringLiteral("experimentAbout"));
    about_->setPlaceholderText(tr("What the experiment is about, in a sentence or two"));
    about_->setTabChangesFocus(true);
    about_->setFixedHeight(72);
    source_ = new QLineEdit;
    source_->setObjectName(QStringLiteral("experimentSource"));
    source_->setPlaceholderText(tr("Source in the paper, e.g. Sec. V-B, Fig. 5"));
    column->addWidget(newLine(tr("In words"), "heading"));
    column->addWidget(about_);
    column->addWidget(source_);
    connect(about_, &QPlainTextEdit::textChanged, this, [this] {
        const std::string text = about_->toPlainText().toStdString();
        if (text == history_.experiment().about) return;
        history_.edit(tr("its description"), QStringLiteral("about"),
                      [&](ExperimentDraft& draft) { draft.experiment.about = text; });
    });
    connect(source_, &QLineEdit::textEdited, this, [this](const QString& text) {
        history_.edit(tr("its source"), QStringLiteral("source"),
                      [&](ExperimentDraft& draft) { draft.experiment.source.place = text.toStdString(); });
    });
}

void AboutForm::showDraft() {
    const Experiment& experiment = history_.experiment();
    if (about_->toPlainText().toStdString() != experiment.about)
        about_->setPlainText(QString::fromStdString(experiment.about));
    if (source_->text().toStdString() != experiment.source.place)
        source_->setText(QString::fromStdString(experiment.source.place));
}

}  // namespace stagecraft::app::experiments
