#include "app/panels/planner_panel.h"

#include "app/document/workspace.h"
#include "app/panels/field_behaviour.h"
#include "app/panels/parameter_form.h"
#include "core/planners/added_planners.h"
#include "core/planners/applicability.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"

#include <QApplication>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace stagecraft::app::panels {
namespace {

/// No planner has a blank in its id.
const QString headingData = QStringLiteral("custom planners");

}  // namespace

PlannerPanel::PlannerPanel(Workspace& workspace, PlanningController& planning, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      planning_(planning),
      choice_(new QComboBox),
      summary_(new QLabel),
      leftOut_(new QLabel),
      asynchronous_(new QPushButton(tr("Train asynchronously"))),
      pages_(new QStackedWidget(this)),
      progress_(new QProgressBar),
      run_(new QPushButton(tr("Run"))),
      cancel_(new QPushButton(tr("Cancel"))) {
    describeParts();
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addWidget(run_, 1);
    buttons->addWidget(cancel_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    // The buttons are above all that comes and goes, so that they stay under the pointer.
    layout->addWidget(choice_);
    layout->addLayout(buttons);
    for (QWidget* widget :
         {static_cast<QWidget*>(progress_), static_cast<QWidget*>(summary_), static_cast<QWidget*>(leftOut_),
          static_cast<QWidget*>(asynchronous_), static_cast<QWidget*>(pages_)})
        layout->addWidget(widget);
    // Where they stand: a form that moves there is styled anew, field by field.
    addForms();
    connectParts();
    showChoice();
    showProgress();
}

void PlannerPanel::addForms() {
    choice_->setObjectName(QStringLiteral("plannerChoice"));
    choice_->addItem(tr("All planners"), QString());
    pages_->addWidget(new QWidget(pages_));
    for (const std::unique_ptr<Planner>& planner : allPlanners()) addForm(planner->description());
    builtIn_ = choice_->count();
    (new FieldBehaviour(this))->applyTo(*choice_);
}

void PlannerPanel::addForm(const PlannerDescription& about) {
    choice_->addItem(QString::fromStdString(about.title), QString::fromStdString(about.id));
    choice_->setItemData(choice_->count() - 1, QString::fromStdString(about.paper), Qt::ToolTipRole);
    auto* form = new ParameterForm(about.parameters, pages_);
    forms_[about.id] = form;
    connect(form, &ParameterForm::changed, this, &PlannerPanel::showLeftOut);
    pages_->addWidget(form);
}

void PlannerPanel::listCustom() {
    const QString before = choice_->currentData().toString();
    {
        const QSignalBlocker quiet(choice_);
        while (choice_->count() > builtIn_) {
            const int last = choice_->count() - 1;
            forms_.erase(choice_->itemData(last).toString().toStdString());
            choice_->removeItem(last);
            QWidget* page = pages_->widget(last);
            pages_->removeWidget(page);
            page->deleteLater();
        }
        const std::vector<const Planner*> custom = addedPlanners();
        if (!custom.empty()) {
            choice_->addItem(tr("Custom planners"), headingData);
            enableItem(*choice_, choice_->count() - 1, false);
            pages_->addWidget(new QWidget);
        }
        for (const Planner* planner : custom) addForm(planner->description());
        choice_->setCurrentIndex(std::max(0, choice_->findData(before)));
    }
    showChoice();
}

void PlannerPanel::describeParts() {
    summary_->setWordWrap(true);
    summary_->setProperty("role", "muted");
    leftOut_->setObjectName(QStringLiteral("leftOut"));
    leftOut_->setWordWrap(true);
    leftOut_->setProperty("role", "muted");
    asynchronous_->setObjectName(QStringLiteral("trainAsynchronously"));
    asynchronous_->setToolTip(tr("Sets the mode of the setup"));
    progress_->setRange(0, progressSteps);
    progress_->setTextVisible(false);
    run_->setObjectName(QStringLiteral("run"));
    run_->setProperty("primary", true);
    cancel_->setObjectName(QStringLiteral("cancel"));
    // The bar keeps its place while nothing runs, so that nothing jumps.
    QSizePolicy policy = progress_->sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    progress_->setSizePolicy(policy);
}

void PlannerPanel::connectParts() {
    connect(choice_, &QComboBox::currentIndexChanged, this, &PlannerPanel::showChoice);
    connect(run_, &QPushButton::clicked, this, [this] {
        if (planning_.isPlanning())
            planning_.takeBestSoFar();
        else
            run();
    });
    connect(cancel_, &QPushButton::clicked, &planning_, &PlanningController::cancel);
    connect(asynchronous_, &QPushButton::clicked, this, [this] { trainAsynchronously(workspace_); });
    connect(&workspace_, &Workspace::projectReplaced, this, &PlannerPanel::showLeftOut);
    connect(&workspace_, &Workspace::problemChanged, this, &PlannerPanel::showLeftOut);
    connect(&planning_, &PlanningController::planningChanged, this, &PlannerPanel::showProgress);
    connect(&planning_, &PlanningController::busyChanged, this,
            [this] { cancel_->setEnabled(planning_.isBusy()); });
    connect(&planning_, &PlanningController::searching, this, &PlannerPanel::showSearch);
    connect(&planning_, &PlanningController::progressed, progress_,
            [this](double fraction) { progress_->setValue(static_cast<int>(fraction * progressSteps)); });
}

QStringList PlannerPanel::chosen() const {
    if (const QString id = choice_->currentData().toString(); !id.isEmpty()) return {id};
    QStringList all;
    for (const std::unique_ptr<Planner>& planner : allPlanners())
        if (applies(*planner, workspace_.problem().setup.mode))
            all << QString::fromStdString(planner->description().id);
    return all;
}

bool PlannerPanel::applies(const Planner& planner, TrainingMode mode) const {
    TrainingSetup setup = workspace_.problem().setup;
    setup.mode = mode;
    return appliesTo(planner, setup, forms_.at(planner.description().id)->values());
}

void PlannerPanel::choose(const QString& plannerId) {
    choice_->setCurrentIndex(choice_->findData(plannerId));
}

void PlannerPanel::run() {
    FieldBehaviour::commit(QApplication::focusWidget());  // F5 leaves the keyboard in a field
    std::map<std::string, ParameterValues> values;
    for (const auto& [id, form] : forms_) values[id] = form->values();
    planning_.run(chosen(), values);
}

void PlannerPanel::showChoice() {
    const Planner* planner = findPlanner(choice_->currentData().toString().toStdString());
    summary_->setToolTip(planner ? QString::fromStdString(planner->description().paper) : QString());
    pages_->setCurrentIndex(choice_->currentIndex());
    resizePages();
    showLeftOut();
}

/// What the planner does or, where there is nothing to plan yet, what is missing.
void PlannerPanel::showSummary(const Planner* planner) {
    if (planning_.isPlanning()) return;  // it says how far the search is
    const auto missing = whyUnplannable(workspace_.problem());
    summary_->setText(missing   ? tr("Nothing to plan yet: %1.").arg(QString::fromStdString(*missing))
                      : planner ? QString::fromStdString(planner->description().summary)
                                : tr("Each with the parameters set for it, for comparison."));
}

void PlannerPanel::showLeftOut() {
    const Planner* chosen = findPlanner(choice_->currentData().toString().toStdString());
    showSummary(chosen);
    // Under either mode there is room for the words and their button, so that what is above does not move.
    std::vector<const Planner*> ever, out;
    const bool unplannable = whyUnplannable(workspace_.problem()).has_value();
    for (const std::unique_ptr<Planner>& planner : allPlanners()) {
        if (unplannable || (chosen && chosen != planner.get())) continue;
        if (!applies(*planner, TrainingMode::synchronous)) ever.push_back(planner.get());
        if (!applies(*planner, workspace_.problem().setup.mode)) out.push_back(planner.get());
    }
    leftOut_->setText(QString::fromStdString(whyLeftOut(ever)));
    for (QWidget* widget : {static_cast<QWidget*>(leftOut_), static_cast<QWidget*>(asynchronous_)}) {
        QSizePolicy policy = widget->sizePolicy();
        policy.setRetainSizeWhenHidden(!ever.empty());
        widget->setSizePolicy(policy);
        widget->setVisible(!out.empty());
    }
}

void PlannerPanel::resizePages() {
    // A stack is as large as its largest page unless the others ask for nothing.
    for (int i = 0; i < pages_->count(); ++i) {
        const bool shown = i == pages_->currentIndex();
        pages_->widget(i)->setSizePolicy(QSizePolicy::Ignored,
                                         shown ? QSizePolicy::Preferred : QSizePolicy::Ignored);
    }
    const bool empty = pages_->currentIndex() == 0 || pages_->currentWidget()->children().size() <= 1;
    pages_->setVisible(!empty);
    pages_->updateGeometry();
}

/// In the place of what the planner is about, and of the button that starts it: nothing moves.
void PlannerPanel::showSearch(const QString& sentence) {
    summary_->setMinimumHeight(summary_->height());
    summary_->setText(sentence);
    run_->setText(tr("Take best so far"));
    run_->setToolTip(tr("Ends the search; the best plan that it has found is kept"));
    run_->setEnabled(true);
}

void PlannerPanel::showProgress() {
    const bool busy = planning_.isPlanning();
    if (!busy) {
        run_->setText(tr("Run"));
        run_->setToolTip({});
        summary_->setMinimumHeight(0);
        showChoice();
    }
    // The keyboard stays here: a button that is switched off would hand the focus on to the next field.
    QPushButton* usable = busy ? cancel_ : run_;
    QPushButton* other = busy ? run_ : cancel_;
    usable->setEnabled(true);
    if (other->hasFocus()) usable->setFocus();
    other->setEnabled(false);
    cancel_->setEnabled(planning_.isBusy());
    progress_->setVisible(busy);
}

}  // namespace stagecraft::app::panels
