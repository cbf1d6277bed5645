#include "app/panels/import_report.h"

#include "app/panels/parameter_form.h"

#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app::panels {
namespace {

QLabel* paragraph(const QString& text, const char* role = nullptr) {
    auto* label = new QLabel(text);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    if (role) label->setProperty("role", role);
    return label;
}

QStringList notesOf(const ImportedCluster& imported, ImportNote::Kind kind) {
    QStringList lines;
    for (const ImportNote& note : imported.notes)
        if (note.kind == kind) lines << QString::fromStdString(note.text);
    return lines;
}

}  // namespace

ImportReport::ImportReport(QWidget* parent) : QWidget(parent) {
    auto* content = new QWidget;
    layout_ = new QVBoxLayout(content);
    layout_->setContentsMargins(8, 8, 8, 8);
    layout_->setSpacing(8);
    layout_->addStretch();
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(content);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(scroll);
    setMinimumWidth(264);
}

void ImportReport::showImport(const QString& title, const std::vector<Parameter>& questions,
                              const ParameterValues& answers, const ImportedCluster& imported) {
    answers_ = answers;
    const auto isSame = [](const Parameter& a, const Parameter& b) { return a.name == b.name; };
    const bool isForm =
        form_ && title == title_ &&
        std::equal(questions.begin(), questions.end(), questions_.begin(), questions_.end(), isSame);
    questions_ = questions;
    // The form stays while a person is in it; only what was assumed follows.
    if (!isForm) makeForm(title);
    for (const Parameter& question : questions_) {
        const auto said = answers_.find(question.name);
        form_->setValue(question.name, said == answers_.end() ? question.defaultValue : said->second);
    }
    shown_ = form_->values();
    showNotes(imported);
}

void ImportReport::makeForm(const QString& title) {
    title_ = title;
    delete head_;
    head_ = new QWidget;
    auto* layout = new QVBoxLayout(head_);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(paragraph(title, "heading"));
    idle_ = paragraph({}, "muted");
    idle_->setObjectName(QStringLiteral("importIdle"));
    idle_->hide();
    layout->addWidget(idle_);
    form_ = new ParameterForm(questions_);
    connect(form_, &ParameterForm::changed, this, &ImportReport::takeAnswers);
    if (!questions_.empty()) {
        layout->addWidget(
            paragraph(tr("What the text does not say can be set here; the cluster follows."), "muted"));
        layout->addWidget(form_);
    } else {
        form_->setParent(head_);
        form_->hide();
    }
    error_ = paragraph({}, "error");
    error_->hide();
    layout->addWidget(error_);
    layout_->insertWidget(0, head_);
}

void ImportReport::takeAnswers() {
    for (const auto& [name, value] : form_->values())
        if (shown_.at(name) != value) answers_[name] = value;
    shown_ = form_->values();
    emit answersChanged();
}

void ImportReport::showNotes(const ImportedCluster& imported) {
    QStringList assumed, chosen;
    // Those of an import are among its notes too.
    for (const Assumption& each : imported.assumed) assumed << QString::fromStdString(each.text);
    for (const QString& note : notesOf(imported, ImportNote::Kind::assumed))
        if (!assumed.contains(note)) assumed << note;
    for (const std::string& choice : imported.chosen) chosen << QString::fromStdString(choice);
    const std::pair<QString, QStringList> parts[] = {
        {tr("Chosen"), chosen},
        {tr("Assumed"), assumed},
        {tr("Taken"), notesOf(imported, ImportNote::Kind::took)},
        {tr("Derived"), notesOf(imported, ImportNote::Kind::derived)},
        {tr("Grouped"), notesOf(imported, ImportNote::Kind::grouped)},
        {tr("Ignored"), notesOf(imported, ImportNote::Kind::ignored)}};
    QStringList notes;
    for (const auto& [heading, lines] : parts) notes << heading << lines;
    if (body_ && notes == notes_) return;
    notes_ = notes;
    delete body_;
    body_ = new QWidget;
    auto* layout = new QVBoxLayout(body_);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    for (const auto& [heading, lines] : parts) {
        if (lines.isEmpty()) continue;
        layout->addWidget(paragraph(heading, "heading"));
        for (const QString& line : lines) layout->addWidget(paragraph(line));
    }
    layout_->insertWidget(1, body_);
}

void ImportReport::setIdle(const QString& why) {
    if (!form_) return;
    idle_->setText(why);
    idle_->setVisible(!why.isEmpty());
    form_->setEnabled(why.isEmpty());
}

void ImportReport::setError(const QString& error) {
    if (!error_) return;
    error_->setText(error);
    error_->setVisible(!error.isEmpty());
}

}  // namespace stagecraft::app::panels
