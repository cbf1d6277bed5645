#include "app/panels/import_report.h"

#include "app/panels/parameter_form.h"

#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

namespace stagecraft {
namespace {

QLabel* wrapped(const QString& text, const char* role = nullptr) {
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

void ImportReport::setQuestions(const QString& title, const std::vector<Parameter>& questions) {
    delete head_;
    head_ = new QWidget;
    auto* layout = new QVBoxLayout(head_);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(wrapped(title, "heading"));
    form_ = new ParameterForm(questions);
    connect(form_, &ParameterForm::changed, this, &ImportReport::answersChanged);
    if (!questions.empty()) {
        layout->addWidget(
            wrapped(tr("What the text does not say can be set here; the cluster follows."), "muted"));
        layout->addWidget(form_);
    } else {
        form_->setParent(head_);
        form_->hide();
    }
    error_ = wrapped({}, "error");
    error_->hide();
    layout->addWidget(error_);
    layout_->insertWidget(0, head_);
}

void ImportReport::setResult(const ImportedCluster& imported) {
    delete body_;
    body_ = new QWidget;
    auto* layout = new QVBoxLayout(body_);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    QStringList assumed;
    for (const Assumption& each : imported.assumed) assumed << QString::fromStdString(each.text);
    const std::pair<QString, QStringList> parts[] = {
        {tr("Assumed"), assumed},
        {tr("Taken"), notesOf(imported, ImportNote::Kind::took)},
        {tr("Derived"), notesOf(imported, ImportNote::Kind::derived)},
        {tr("Grouped"), notesOf(imported, ImportNote::Kind::grouped)},
        {tr("Ignored"), notesOf(imported, ImportNote::Kind::ignored)}};
    for (const auto& [heading, lines] : parts) {
        if (lines.isEmpty()) continue;
        layout->addWidget(wrapped(heading, "heading"));
        for (const QString& line : lines) layout->addWidget(wrapped(line));
    }
    layout_->insertWidget(1, body_);
}

void ImportReport::setError(const QString& error) {
    error_->setText(error);
    error_->setVisible(!error.isEmpty());
}

ParameterValues ImportReport::answers() const { return form_->values(); }

}  // namespace stagecraft
