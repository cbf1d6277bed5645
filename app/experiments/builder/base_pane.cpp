#include "app/experiments/builder/base_pane.h"

#include "app/experiments/builder/draft_history.h"
#include "app/experiments/builder/field_tree.h"
#include "views/common/widgets.h"

#include <QLabel>
#include <QVBoxLayout>

namespace stagecraft::app::experiments {

namespace {

std::set<std::string> variedPointers(const ExperimentDraft& draft) {
    std::set<std::string> varied;
    for (const AxisDraft& axis : draft.axes) {
        for (const std::string& pointer : axis.field.pointers) varied.insert(pointer);
        for (const AxisValue& value : axis.cases)
            for (const Change& change : value.changes) varied.insert(change.pointer);
    }
    return varied;
}

}  // namespace

BasePane::BasePane(DraftHistory& history, OpenProject openProject, QWidget* parent)
    : QWidget(parent), history_(history) {
    chooser_ = new BaseChooser(std::move(openProject));
    fields_ = new FieldTree;
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 4, 8, 8);
    column->setSpacing(8);
    column->addWidget(newLine(tr("Base"), "heading"));
    column->addWidget(chooser_);
    column->addWidget(fields_, 1);
    connect(chooser_, &BaseChooser::chosen, this, [this](const std::string& base, const QString& name) {
        nameBase(base, name);
        history_.takeBase(tr("another base"), base, {});
    });
    connect(fields_, &FieldTree::varyRequested, this, &BasePane::varyRequested);
    connect(fields_, &FieldTree::valueGiven, this, &BasePane::giveValue);
}

void BasePane::nameBase(const std::string& base, const QString& name) {
    names_[std::hash<std::string>()(base)] = name;
}

void BasePane::showDraft() {
    const std::string& base = history_.experiment().base;
    if (base != fieldsOf_) chooser_->setBase(base, names_[std::hash<std::string>()(base)]);
    showFields();
}

void BasePane::giveValue(const VariableField& field, const QString& text) {
    try {
        const std::string base = withValue(history_.experiment(), field, text.toStdString());
        fields_->showError({});
        history_.takeBase(tr("a value of the base"), base, history_.experiment().directory);
    } catch (const std::exception& error) {
        showFields();
        fields_->showError(QString::fromUtf8(error.what()));
    }
}

void BasePane::showFields() {
    const Experiment& experiment = history_.experiment();
    std::set<std::string> varied = variedPointers(*history_.draft());
    finding_.abandon();
    fields_->setEnabled(true);
    // Looking into a base takes its whole problem: only where it is another.
    if (experiment.base == fieldsOf_) {
        std::vector<VariableField> fields = fields_->fields();
        std::erase_if(fields,
                      [](const VariableField& field) { return field.groups.front() == plannersGroup; });
        for (VariableField& field : plannerFields(experiment)) fields.push_back(std::move(field));
        return fields_->setFields(std::move(fields), std::move(varied));
    }
    if (!isLargeBase(experiment.base)) {
        fieldsOf_ = experiment.base;
        return fields_->setFields(variableFields(experiment), std::move(varied));
    }
    fields_->setEnabled(false);
    finding_.start(
        [draft = history_.draft()](const JobContext&) { return variableFields(draft->experiment); },
        [this, draft = history_.draft(), varied](std::vector<VariableField> fields) {
            fieldsOf_ = draft->experiment.base;
            fields_->setEnabled(true);
            fields_->setFields(std::move(fields), varied);
        });
}

}  // namespace stagecraft::app::experiments
