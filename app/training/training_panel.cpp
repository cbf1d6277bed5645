#include "app/training/training_panel.h"

#include "app/panels/field_behaviour.h"
#include "app/panels/parameter_form.h"
#include "app/panels/section.h"
#include "core/base/units.h"
#include "core/training/training_settings.h"
#include "views/training/policy_style.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <set>
#include <utility>

namespace stagecraft::app::training {

using stagecraft::training::ModelKind;
using stagecraft::training::OptimizerKind;
using stagecraft::training::OptimizerSettings;
using stagecraft::training::Policy;
using stagecraft::training::PolicyDescription;
using stagecraft::training::TrainingChoice;
using stagecraft::training::TrainingSettings;

namespace {

const std::set<std::string> usualNames = {"data",       "model",  "optimizer", "learning_rate",
                                          "batch_size", "epochs", "seeds"};

std::vector<Parameter> parametersThat(bool usual) {
    std::vector<Parameter> chosen;
    for (const Parameter& parameter : stagecraft::training::trainingParameters())
        if (usualNames.contains(parameter.name) == usual) chosen.push_back(parameter);
    return chosen;
}

/// Those that the paper of XPipe compares, and what they are measured against.
bool isUsual(Policy policy) {
    return policy == Policy::synchronous || policy == Policy::stashing || policy == Policy::specTrain ||
           policy == Policy::xpipe;
}

}  // namespace

TrainingPanel::TrainingPanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent), workspace_(workspace), plan_(new QComboBox) {
    plan_->setObjectName(QStringLiteral("trainingPlan"));
    plan_->setToolTip(tr("Whose stages and schedule the network is trained through"));
    (new FieldBehaviour(this))->applyTo(*plan_);
    auto* training = new Section(tr("Training"), nullptr, this);
    forms_ = new QWidget(training);
    training->setContent(forms_);
    auto* forms = new QVBoxLayout(forms_);
    forms->setContentsMargins(0, 0, 0, 0);
    forms->setSpacing(8);
    layout_ = new QVBoxLayout(this);
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setSpacing(0);
    layout_->addWidget(new Section(tr("Plan"), plan_, this));
    layout_->addWidget(new Section(tr("Policies"), makePolicies()));
    layout_->addWidget(training);
    layout_->addStretch();
    makeForms({});
    showPlans();
    connect(plan_, &QComboBox::currentIndexChanged, this, &TrainingPanel::changed);
    connect(&workspace_, &Workspace::projectReplaced, this, &TrainingPanel::showPlans);
    connect(&workspace_, &Workspace::plansChanged, this, &TrainingPanel::showPlans);
    connect(&workspace_, &Workspace::runsChanged, this, &TrainingPanel::showPlans);
}

QWidget* TrainingPanel::makePolicies() {
    auto* list = new QWidget;
    auto* layout = new QVBoxLayout(list);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    for (const PolicyDescription& about : stagecraft::training::policies()) {
        auto* box = new QCheckBox(QString::fromStdString(about.title));
        box->setObjectName(QStringLiteral("policy:") + QString::fromStdString(about.id));
        box->setChecked(isUsual(about.policy));
        auto* reason = new QLabel;
        reason->setObjectName(QStringLiteral("reason:") + QString::fromStdString(about.id));
        reason->setProperty("role", "muted");
        reason->setWordWrap(true);
        reason->setContentsMargins(24, 0, 0, 4);
        reason->hide();
        layout->addWidget(box);
        layout->addWidget(reason);
        policies_[about.policy] = box;
        reasons_[about.policy] = reason;
        connect(box, &QCheckBox::toggled, this, &TrainingPanel::changed);
    }
    setRefusals({});
    return list;
}

/// Whether a field may hold a text that is no value.
bool TrainingPanel::isTypedIn() const {
    const auto lines = forms_->findChildren<QLineEdit*>();
    return std::any_of(lines.begin(), lines.end(), [](const QLineEdit* line) { return line->isModified(); });
}

void TrainingPanel::makeForms(const ParameterValues& values) {
    auto* layout = static_cast<QVBoxLayout*>(forms_->layout());
    while (QLayoutItem* item = layout->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    usual_ = new ParameterForm(parametersThat(true), values, forms_);
    auto* more = new QPushButton(forms_);
    further_ = new ParameterForm(parametersThat(false), values, forms_);
    further_->setVisible(showsFurther_);
    more->setObjectName(QStringLiteral("moreTraining"));
    more->setProperty("quiet", true);
    const auto label = [this, more] {
        more->setText(showsFurther_ ? tr("Fewer settings") : tr("More settings…"));
    };
    label();
    connect(more, &QPushButton::clicked, this, [this, label] {
        showsFurther_ = !showsFurther_;
        further_->setVisible(showsFurther_);
        label();
    });
    layout->addWidget(usual_);
    layout->addWidget(more, 0, Qt::AlignLeft);
    layout->addWidget(further_);
    for (ParameterForm* form : {usual_, further_}) {
        for (auto* box : form->findChildren<QSpinBox*>()) box->setKeyboardTracking(false);
        for (auto* box : form->findChildren<QDoubleSpinBox*>()) {
            box->setKeyboardTracking(false);
            box->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
        }
        connect(form, &ParameterForm::changed, this, &TrainingPanel::showHints);
        connect(form, &ParameterForm::changed, this, &TrainingPanel::changed);
    }
    showHints();
}

void TrainingPanel::showPlans() {
    const int before = plan_->currentData().toInt();
    const bool had = plan_->count() > 0;
    {
        const QSignalBlocker blocker(plan_);
        plan_->clear();
        for (const PlanItem& item : workspace_.plans())
            if (item.isPlan() && item.goneDevices.empty()) plan_->addItem(item.title(), item.id);
        plan_->addItem(tr("GPipe's stages"), 0);
        plan_->setItemData(plan_->count() - 1, tr("Equal layers per GPU, planned when training starts"),
                           Qt::ToolTipRole);
        plan_->setCurrentIndex(std::max(0, plan_->findData(before)));
    }
    if (had && plan_->currentData().toInt() != before) emit changed();
}

void TrainingPanel::choosePlan(int id) {
    if (const int index = plan_->findData(id); index >= 0) plan_->setCurrentIndex(index);
}

const PlanItem* TrainingPanel::plan() const { return workspace_.plan(plan_->currentData().toInt()); }
QString TrainingPanel::planTitle() const { return plan_->currentText(); }

std::vector<Policy> TrainingPanel::chosenPolicies() const {
    std::vector<Policy> chosen;
    for (const PolicyDescription& about : stagecraft::training::policies())
        if (policies_.at(about.policy)->isChecked() && !refusals_.contains(about.policy))
            chosen.push_back(about.policy);
    return chosen;
}

ParameterValues TrainingPanel::values() const {
    ParameterValues values = usual_->values();
    for (const auto& [name, value] : further_->values()) values[name] = value;
    return values;
}

void TrainingPanel::setRefusals(const std::map<Policy, std::string>& refusals) {
    refusals_ = refusals;
    for (const auto& [policy, box] : policies_) {
        const PolicyDescription& about = describe(policy);
        const auto refusal = refusals.find(policy);
        const bool refused = refusal != refusals.end();
        const QString reason = refused ? QString::fromStdString(refusal->second) : QString();
        box->setEnabled(!refused);
        box->setToolTip(QString::fromStdString(about.summary + "\n" + about.source) +
                        (refused ? "\n" + reason : QString()));
        // As much as says why; the rest is in the tooltip.
        QString shortly = reason.section(QStringLiteral("; "), -1);
        if (!shortly.isEmpty()) shortly[0] = shortly[0].toUpper();
        reasons_.at(policy)->setText(shortly);
        reasons_.at(policy)->setToolTip(reason);
        reasons_.at(policy)->setVisible(refused);
    }
}

void TrainingPanel::setMicrobatches(int microbatches) {
    if (microbatches_ == microbatches) return;
    microbatches_ = microbatches;
    showHints();
}

void TrainingPanel::showHints() {
    const TrainingChoice choice = stagecraft::training::trainingChoice(values(), microbatches_);
    const OptimizerSettings& optimizer = choice.settings.optimizer;
    const auto field = [this](const char* name) { return findChild<QAbstractSpinBox*>(QLatin1String(name)); };
    field("learning_rate")
        ->setSpecialValueText(tr("usual: %1")
                                  .arg(QString::fromStdString(formatNumber(
                                      stagecraft::training::usualLearningRate(optimizer.kind)))));
    field("batch_size")
        ->setSpecialValueText(tr("usual: %1").arg(std::max(TrainingSettings().batchSize, microbatches_)));
    field("layers")->setSpecialValueText(tr("as the plan needs"));
    field("drop_every")->setSpecialValueText(tr("never"));
    field("width")->setEnabled(choice.settings.model == ModelKind::perceptron);
    field("momentum")->setEnabled(optimizer.kind != OptimizerKind::adam);
}

QVariantMap TrainingPanel::state() const {
    QStringList chosen;
    for (const auto& [policy, box] : policies_)
        if (box->isChecked()) chosen << QString::fromStdString(describe(policy).id);
    QVariantMap texts;
    const ParameterValues all = values();
    for (const Parameter& parameter : stagecraft::training::trainingParameters())
        texts[QString::fromStdString(parameter.name)] =
            QString::fromStdString(toText(parameter, all.at(parameter.name)));
    return {{QStringLiteral("policies"), chosen},
            {QStringLiteral("values"), texts},
            {QStringLiteral("further"), showsFurther_}};
}

void TrainingPanel::setState(const QVariantMap& state) {
    const QStringList chosen = state.value(QStringLiteral("policies")).toStringList();
    for (const auto& [policy, box] : policies_) {
        const QSignalBlocker blocker(box);
        box->setChecked(state.contains(QStringLiteral("policies"))
                            ? chosen.contains(QString::fromStdString(describe(policy).id))
                            : isUsual(policy));
    }
    const QVariantMap texts = state.value(QStringLiteral("values")).toMap();
    ParameterValues values = defaultValues(stagecraft::training::trainingParameters());
    for (const Parameter& parameter : stagecraft::training::trainingParameters()) {
        const QString name = QString::fromStdString(parameter.name);
        if (!texts.contains(name)) continue;
        try {
            values[parameter.name] = readParameter(parameter, texts.value(name).toString().toStdString());
        } catch (const std::invalid_argument&) {
            // What an older or newer program kept does not matter: the default remains.
        }
    }
    const bool further = state.value(QStringLiteral("further")).toBool();
    // Fields are made anew but where they show this already, as they do for most projects that are opened.
    if (std::exchange(showsFurther_, further) != further || values != this->values() || isTypedIn())
        makeForms(values);
    emit changed();
}

}  // namespace stagecraft::app::training
