#include "app/experiments/builder/experiment_builder.h"

#include "app/experiments/builder/axis_card.h"
#include "app/experiments/builder/claims_editor.h"
#include "app/experiments/builder/field_tree.h"
#include "app/experiments/builder/metric_ticks.h"
#include "app/experiments/builder/planner_ticks.h"
#include "views/common/role_label.h"
#include "views/common/theme.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

namespace stagecraft {

QWidget* ExperimentBuilder::makeHead() {
    auto* head = new QWidget;
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(16, 12, 12, 8);
    row->setSpacing(8);
    name_ = new QLineEdit;
    name_->setObjectName(QStringLiteral("experimentName"));
    name_->setPlaceholderText(tr("Name of the experiment"));
    connect(name_, &QLineEdit::textEdited, this, [this](const QString& text) {
        edit(tr("its name"), QStringLiteral("name"),
             [&](ExperimentDraft& draft) { draft.experiment.name = text.toStdString(); });
    });
    row->addWidget(name_, 1);
    const auto step = [&](const char* name, const QString& text, const QKeySequence& keys, auto handler) {
        auto* action = new QAction(lineIcon(QLatin1String(name)), text, this);
        action->setObjectName(QLatin1String(name));
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        action->setToolTip(text + QStringLiteral(" (") + keys.toString(QKeySequence::NativeText) + u')');
        connect(action, &QAction::triggered, this, handler);
        addAction(action);
        auto* button = new QToolButton;
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        row->addWidget(button);
        return action;
    };
    QAction* undo = step("undo", tr("Undo"), QKeySequence::Undo, [this] { undo_.undo(); });
    QAction* redo = step("redo", tr("Redo"), QKeySequence::Redo, [this] { undo_.redo(); });
    redo->setShortcuts({QKeySequence(tr("Ctrl+Shift+Z")), QKeySequence(tr("Ctrl+Y"))});
    undo->setEnabled(false);
    redo->setEnabled(false);
    connect(&undo_, &QUndoStack::canUndoChanged, undo, &QAction::setEnabled);
    connect(&undo_, &QUndoStack::canRedoChanged, redo, &QAction::setEnabled);
    return head;
}

QWidget* ExperimentBuilder::makeLeft() {
    auto* left = new QWidget;
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(16, 4, 8, 8);
    column->setSpacing(8);
    fields_ = new FieldTree;
    column->addWidget(newLine(tr("Base"), "heading"));
    column->addWidget(base_);
    column->addWidget(fields_, 1);
    connect(fields_, &FieldTree::varyRequested, this, &ExperimentBuilder::addAxis);
    connect(fields_, &FieldTree::valueGiven, this, [this](const VariableField& field, const QString& text) {
        try {
            const std::string base = withValue(draft_->experiment, field, text.toStdString());
            fields_->showError({});
            takeBase(tr("a value of the base"), base, draft_->experiment.directory);
        } catch (const std::exception& error) {
            showFields();
            fields_->showError(QString::fromUtf8(error.what()));
        }
    });
    return left;
}

QWidget* ExperimentBuilder::makeRight() {
    auto* right = new QWidget;
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(8, 4, 16, 8);
    column->setSpacing(8);
    axesHint_ =
        newParagraph(tr("Double click what varies on the left: it becomes an axis, and every combination of "
                        "the axes' values a point."),
                     "muted");
    axesColumn_ = new QVBoxLayout;
    axesColumn_->setSpacing(8);
    planners_ = new PlannerTicks;
    connect(planners_, &PlannerTicks::edited, this, [this](const std::vector<AskedPlanner>& asked) {
        edit(tr("planners"), {}, [&](ExperimentDraft& draft) { draft.experiment.planners = asked; });
    });
    connect(planners_, &PlannerTicks::renamed, this, [this](int planner, const QString& label) {
        edit(tr("a planner's label"), {}, [&](ExperimentDraft& draft) {
            renamePlanner(draft, static_cast<std::size_t>(planner), label.trimmed().toStdString());
        });
    });
    metrics_ = new MetricTicks;
    connect(metrics_, &MetricTicks::edited, this, [this](const std::vector<std::string>& chosen) {
        edit(tr("metrics"), {}, [&](ExperimentDraft& draft) { draft.experiment.metrics = chosen; });
    });
    claims_ = new ClaimsEditor;
    connect(claims_, &ClaimsEditor::edited, this, [this](const std::vector<Claim>& claims) {
        edit(tr("claims"), {}, [&](ExperimentDraft& draft) { draft.experiment.claims = claims; });
    });
    connect(
        claims_, &ClaimsEditor::formOpened, this,
        [this](QWidget* form) { scroll_->ensureWidgetVisible(form); }, Qt::QueuedConnection);
    column->addWidget(newLine(tr("Axes"), "heading"));
    column->addWidget(axesHint_);
    column->addLayout(axesColumn_);
    column->addSpacing(8);
    column->addWidget(planners_);
    column->addSpacing(8);
    column->addWidget(metrics_);
    column->addSpacing(8);
    column->addWidget(claims_);
    column->addSpacing(8);
    column->addWidget(makeAbout());
    column->addStretch(1);
    scroll_ = new QScrollArea;
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setMinimumWidth(360);
    scroll_->setWidget(right);
    return scroll_;
}

QWidget* ExperimentBuilder::makeAbout() {
    auto* group = new QWidget;
    auto* column = new QVBoxLayout(group);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    about_ = new QPlainTextEdit;
    about_->setObjectName(QStringLiteral("experimentAbout"));
    about_->setPlaceholderText(tr("What the experiment is about, in a sentence or two"));
    about_->setTabChangesFocus(true);
    about_->setFixedHeight(72);
    source_ = new QLineEdit;
    source_->setObjectName(QStringLiteral("experimentSource"));
    source_->setPlaceholderText(tr("Where it is from, if from a paper: Sec. V-B, Fig. 5"));
    column->addWidget(newLine(tr("In words"), "heading"));
    column->addWidget(about_);
    column->addWidget(source_);
    connect(about_, &QPlainTextEdit::textChanged, this, [this] {
        if (about_->toPlainText().toStdString() == draft_->experiment.about) return;
        edit(tr("its description"), QStringLiteral("about"),
             [&](ExperimentDraft& draft) { draft.experiment.about = about_->toPlainText().toStdString(); });
    });
    connect(source_, &QLineEdit::textEdited, this, [this](const QString& text) {
        edit(tr("its source"), QStringLiteral("source"),
             [&](ExperimentDraft& draft) { draft.experiment.source.place = text.toStdString(); });
    });
    return group;
}

QWidget* ExperimentBuilder::makeFoot() {
    auto* foot = new QWidget;
    auto* row = new QHBoxLayout(foot);
    row->setContentsMargins(16, 8, 16, 12);
    row->setSpacing(8);
    forecast_ = newParagraph({}, "muted");
    forecast_->setObjectName(QStringLiteral("forecast"));
    auto* close = new QPushButton(tr("Close"));
    close->setObjectName(QStringLiteral("closeBuilder"));
    save_ = new QPushButton(tr("Save…"));
    save_->setObjectName(QStringLiteral("saveExperiment"));
    save_->setToolTip(tr("As *.experiment.json"));
    run_ = new QPushButton(tr("Run"));
    run_->setObjectName(QStringLiteral("runDraft"));
    run_->setProperty("primary", true);
    row->addWidget(forecast_, 1);
    row->addWidget(close);
    row->addWidget(save_);
    row->addWidget(run_);
    connect(close, &QPushButton::clicked, this, &ExperimentBuilder::closeRequested);
    connect(save_, &QPushButton::clicked, this, &ExperimentBuilder::save);
    connect(run_, &QPushButton::clicked, this, [this] {
        if (checked_.experiment) emit runRequested(*checked_.experiment);
    });
    return foot;
}

}  // namespace stagecraft
