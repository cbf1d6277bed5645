#include "app/experiments/builder/experiment_builder.h"

#include "app/document/file_names.h"
#include "app/experiments/builder/about_form.h"
#include "app/experiments/builder/axis_cards.h"
#include "app/experiments/builder/base_pane.h"
#include "app/experiments/builder/claims_editor.h"
#include "app/experiments/builder/metric_ticks.h"
#include "app/experiments/builder/planner_ticks.h"
#include "app/experiments/custom_experiments.h"
#include "core/formats/files/project_file.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"

#include <QAction>
#include <QDir>
#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

namespace stagecraft::app::experiments {

namespace {

constexpr int leftWidth = 384;

/// Scrolls a column up and down and is never narrower than what is in it.
class ColumnScroll : public QScrollArea {
public:
    explicit ColumnScroll(QWidget* column) {
        setWidgetResizable(true);
        setFrameShape(QFrame::NoFrame);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setWidget(column);
    }
    QSize minimumSizeHint() const override {
        const int width = widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width();
        return {width, QScrollArea::minimumSizeHint().height()};
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (watched == widget() && event->type() == QEvent::LayoutRequest) updateGeometry();
        return QScrollArea::eventFilter(watched, event);
    }
};

}  // namespace

ExperimentBuilder::ExperimentBuilder(OpenProject openProject, QWidget* parent) : QWidget(parent) {
    base_ = new BasePane(history_, std::move(openProject));
    auto* parts = new QSplitter(Qt::Horizontal);
    parts->setChildrenCollapsible(false);
    parts->addWidget(base_);
    parts->addWidget(makeRight());
    parts->setStretchFactor(0, 2);
    parts->setStretchFactor(1, 3);
    parts->setSizes({leftWidth, 3 * leftWidth / 2});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHead());
    column->addWidget(parts, 1);
    column->addWidget(makeFoot());
    connectParts();
    begin(freshExperiment(), {});
}

QWidget* ExperimentBuilder::makeHead() {
    auto* head = new QWidget;
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(16, 12, 12, 8);
    row->setSpacing(8);
    name_ = new QLineEdit;
    name_->setObjectName(QStringLiteral("experimentName"));
    name_->setPlaceholderText(tr("Name of the experiment"));
    connect(name_, &QLineEdit::textEdited, this, [this](const QString& text) {
        history_.edit(tr("its name"), QStringLiteral("name"),
                      [&](ExperimentDraft& draft) { draft.experiment.name = text.toStdString(); });
    });
    row->addWidget(name_, 1);
    const auto step = [&](const char* name, const QString& text, const QKeySequence& keys, auto handler) {
        auto* action = new QAction(lineIcon(QLatin1String(name)), text, this);
        action->setObjectName(QLatin1String(name));
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        action->setToolTip(text + QStringLiteral(" (") + keys.toString(QKeySequence::NativeText) + u')');
        connect(action, &QAction::triggered, &history_.undoStack(), handler);
        addAction(action);
        auto* button = new QToolButton;
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        row->addWidget(button);
        return action;
    };
    QAction* undo = step("undo", tr("Undo"), QKeySequence::Undo, &QUndoStack::undo);
    QAction* redo = step("redo", tr("Redo"), QKeySequence::Redo, &QUndoStack::redo);
    redo->setShortcuts({QKeySequence(tr("Ctrl+Shift+Z")), QKeySequence(tr("Ctrl+Y"))});
    undo->setEnabled(false);
    redo->setEnabled(false);
    connect(&history_.undoStack(), &QUndoStack::canUndoChanged, undo, &QAction::setEnabled);
    connect(&history_.undoStack(), &QUndoStack::canRedoChanged, redo, &QAction::setEnabled);
    return head;
}

QWidget* ExperimentBuilder::makeRight() {
    auto* right = new QWidget;
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(8, 4, 16, 8);
    column->setSpacing(8);
    axes_ = new AxisCards(history_);
    planners_ = new PlannerTicks;
    metrics_ = new MetricTicks;
    claims_ = new ClaimsEditor;
    about_ = new AboutForm(history_);
    column->addWidget(newLine(tr("Axes"), "heading"));
    column->addWidget(axes_);
    for (QWidget* part : {static_cast<QWidget*>(planners_), static_cast<QWidget*>(metrics_),
                          static_cast<QWidget*>(claims_), static_cast<QWidget*>(about_)}) {
        column->addSpacing(8);
        column->addWidget(part);
    }
    column->addStretch(1);
    scroll_ = new ColumnScroll(right);
    return scroll_;
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
        if (const auto runnable = experiment()) emit runRequested(*runnable);
    });
    return foot;
}

void ExperimentBuilder::connectParts() {
    connect(&history_, &DraftHistory::changed, this, &ExperimentBuilder::showDraft);
    connect(&check_, &DraftCheck::said, this, &ExperimentBuilder::say);
    connect(&check_, &DraftCheck::checked, this, [this] {
        showMistakes();
        emit looked();
    });
    connect(base_, &BasePane::varyRequested, axes_, &AxisCards::vary);
    const auto show = [this](QWidget* part) { scroll_->ensureWidgetVisible(part); };
    connect(axes_, &AxisCards::added, this, show, Qt::QueuedConnection);
    connect(claims_, &ClaimsEditor::formOpened, this, show, Qt::QueuedConnection);
    connect(planners_, &PlannerTicks::edited, this, [this](const std::vector<AskedPlanner>& asked) {
        history_.edit(tr("planners"), {}, [&](ExperimentDraft& draft) { draft.experiment.planners = asked; });
    });
    connect(planners_, &PlannerTicks::renamed, this, [this](int planner, const QString& label) {
        history_.edit(tr("a planner's label"), {}, [&](ExperimentDraft& draft) {
            renamePlanner(draft, static_cast<std::size_t>(planner), label.trimmed().toStdString());
        });
    });
    connect(metrics_, &MetricTicks::edited, this, [this](const std::vector<std::string>& chosen) {
        history_.edit(tr("metrics"), {}, [&](ExperimentDraft& draft) { draft.experiment.metrics = chosen; });
    });
    connect(claims_, &ClaimsEditor::edited, this, [this](const std::vector<Claim>& claims) {
        history_.edit(tr("claims"), {}, [&](ExperimentDraft& draft) { draft.experiment.claims = claims; });
    });
}

BaseChooser& ExperimentBuilder::base() { return base_->chooser(); }

void ExperimentBuilder::begin(const Experiment& experiment, const QString& path) {
    emit begun(path);
    path_ = path;
    base_->forget();
    claims_->openForm(false);
    history_.begin(draftOf(experiment));
}

void ExperimentBuilder::beginFresh() {
    Experiment experiment = freshExperiment();
    if (const auto open = base_->chooser().openBase()) {
        experiment.base = *open;
        base_->nameBase(*open, tr("The open project"));
    }
    begin(experiment, {});
    name_->setFocus();
    name_->selectAll();
}

void ExperimentBuilder::rename(const QString& name) {
    history_.edit(tr("its name"), {},
                  [&](ExperimentDraft& draft) { draft.experiment.name = name.toStdString(); });
}

void ExperimentBuilder::showDraft() {
    const Experiment& experiment = history_.experiment();
    if (name_->text().toStdString() != experiment.name)
        name_->setText(QString::fromStdString(experiment.name));
    about_->showDraft();
    metrics_->setMetrics(experiment.metrics);
    base_->showDraft();
    planners_->setPlanners(experiment.planners);
    axes_->showDraft();
    claims_->setClaims(experiment.claims);
    const CheckedDraft texts = checkTexts(draft());
    claims_->setExperiment(texts.experiment ? *texts.experiment : experiment);
    check_.start(texts);
}

void ExperimentBuilder::showMistakes() {
    base_->showError({});
    planners_->showError({});
    name_->setProperty("invalid", false);
    name_->setToolTip({});
    axes_->clearMistakes();
    for (std::size_t claim = 0; claim < claims_->count(); ++claim) claims_->showError(claim, {});
    for (const DraftMistake& mistake : check_.mistakes()) showMistake(mistake);
    name_->style()->unpolish(name_);
    name_->style()->polish(name_);
    run_->setEnabled(check_.experiment().has_value());
    save_->setEnabled(check_.experiment().has_value());
}

void ExperimentBuilder::showMistake(const DraftMistake& mistake) {
    const QString place = QString::fromStdString(mistake.place), text = QString::fromStdString(mistake.text);
    const std::size_t number = place.section(u'/', 2, 2).toUInt();
    if (place == QLatin1String("/name")) {
        name_->setProperty("invalid", true);
        name_->setToolTip(text);
    } else if (place.startsWith(QLatin1String("/axes/")) && axes_->showMistake(number, mistake)) {
        return;
    } else if (place.startsWith(QLatin1String("/planners"))) {
        planners_->showError(text);
    } else if (place.startsWith(QLatin1String("/claims/")) && number < claims_->count()) {
        claims_->showError(number, text);
    } else {
        const QString field = place.section(QStringLiteral("/base/"), 1);
        base_->showError(field.isEmpty() ? text : field + QStringLiteral(": ") + text);
    }
}

void ExperimentBuilder::say(const QString& sentence) { forecast_->setText(sentence); }

void ExperimentBuilder::save() {
    // A file among the kept was never chosen by anybody.
    const QString name = fileNameOf(QString::fromStdString(draft().experiment.name)) + experimentSuffix;
    const bool chosen = !path_.isEmpty() && !CustomExperiments::isKept(path_);
    QString path = QFileDialog::getSaveFileName(this, tr("Save experiment"),
                                                chosen ? path_ : QDir::homePath() + u'/' + name,
                                                tr("Experiments (*%1)").arg(experimentSuffix));
    if (path.isEmpty()) return;
    if (!path.endsWith(QLatin1String(".json"))) path += experimentSuffix;
    saveTo(path);
}

void ExperimentBuilder::saveTo(const QString& path) {
    if (!check_.experiment()) return;
    try {
        const Experiment moved = movedTo(*check_.experiment(), QFileInfo(path).absolutePath().toStdString());
        writeFileAtomically(path.toStdString(), writeExperiment(moved));
        path_ = path;
        history_.undoStack().setClean();
        say(tr("Saved %1").arg(QDir::toNativeSeparators(path)));
        emit saved(path, moved);
    } catch (const std::exception& error) {
        say(QString::fromUtf8(error.what()));
    }
}

}  // namespace stagecraft::app::experiments
