#include "app/experiments/builder/experiment_builder.h"

#include "app/experiments/builder/axis_card.h"
#include "app/experiments/builder/claims_editor.h"
#include "app/experiments/builder/field_tree.h"
#include "app/experiments/builder/metric_ticks.h"
#include "app/experiments/builder/planner_ticks.h"
#include "app/experiments/run_forecast.h"
#include "app/file_name.h"
#include "core/formats/formats.h"
#include "views/common/theme.h"

#include <QAction>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

namespace stagecraft {

namespace {

const QString suffix = QStringLiteral(".experiment.json");
constexpr int forecastMs = 300;  // after the last change
constexpr int leftWidth = 384;
constexpr std::size_t mostAtOnce = 20'000;  // bytes of a base that is looked at within a frame

QLabel* heading(const QString& text) {
    auto* label = new QLabel(text);
    label->setProperty("role", "heading");
    return label;
}

QLabel* note(const QString& text, const char* role) {
    auto* label = new QLabel(text);
    label->setProperty("role", role);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    return label;
}

}  // namespace

/// A draft in place of another. Undo and redo are the same swap.
class DraftCommand : public QUndoCommand {
public:
    DraftCommand(ExperimentBuilder& builder, ExperimentBuilder::Draft after, const QString& text,
                 const QString& merge)
        : QUndoCommand(text),
          builder_(builder),
          before_(builder.draft_),
          after_(std::move(after)),
          merge_(merge) {}
    int id() const override { return merge_.isEmpty() ? -1 : 1; }
    bool mergeWith(const QUndoCommand* other) override {
        const auto& next = static_cast<const DraftCommand&>(*other);
        if (next.merge_ != merge_) return false;
        after_ = next.after_;
        return true;
    }
    void undo() override { builder_.setDraft(before_); }
    void redo() override { builder_.setDraft(after_); }

private:
    ExperimentBuilder& builder_;
    ExperimentBuilder::Draft before_, after_;
    QString merge_;
};

ExperimentBuilder::ExperimentBuilder(OpenProject openProject, QWidget* parent) : QWidget(parent) {
    base_ = new BaseChooser(std::move(openProject));
    auto* parts = new QSplitter(Qt::Horizontal);
    parts->setChildrenCollapsible(false);
    parts->addWidget(makeLeft());
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
    wait_.setSingleShot(true);
    wait_.setInterval(forecastMs);
    connect(&wait_, &QTimer::timeout, this, &ExperimentBuilder::askForecast);
    connect(base_, &BaseChooser::chosen, this, [this](const std::string& base, const QString& name) {
        nameBase(base, name);
        edit(tr("another base"), {}, [&](ExperimentDraft& draft) {
            draft.experiment.directory.clear();
            setBase(draft, base);
        });
    });
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
    column->addWidget(heading(tr("Base")));
    column->addWidget(base_);
    column->addWidget(fields_, 1);
    connect(fields_, &FieldTree::varyRequested, this, &ExperimentBuilder::addAxis);
    connect(fields_, &FieldTree::valueGiven, this, [this](const VariableField& field, const QString& text) {
        try {
            std::string base = withValue(draft_->experiment, field, text.toStdString());
            fields_->showError({});
            edit(tr("a value of the base"), {},
                 [&](ExperimentDraft& draft) { setBase(draft, std::move(base)); });
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
    axesHint_ = note(tr("Double click what varies on the left: it becomes an axis, and every combination of "
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
    column->addWidget(heading(tr("Axes")));
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
    scroll_->setMinimumWidth(440);
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
    column->addWidget(heading(tr("In words")));
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
    forecast_ = note({}, "muted");
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

void ExperimentBuilder::begin(const Experiment& experiment, const QString& path) {
    path_ = path;
    fieldsOf_.clear();
    undo_.clear();
    claims_->openForm(false);
    setDraft(std::make_shared<const ExperimentDraft>(draftOf(experiment)));
}

void ExperimentBuilder::beginFresh() {
    Experiment experiment = freshExperiment();
    if (const auto open = base_->openBase()) {
        experiment.base = *open;
        nameBase(*open, tr("The open project"));
    }
    begin(experiment, {});
    name_->setFocus();
    name_->selectAll();
}

void ExperimentBuilder::nameBase(const std::string& base, const QString& name) {
    baseNames_[std::hash<std::string>()(base)] = name;
}

void ExperimentBuilder::edit(const QString& text, const QString& merge,
                             const std::function<void(ExperimentDraft&)>& how) {
    auto after = std::make_shared<ExperimentDraft>(*draft_);
    how(*after);
    undo_.push(new DraftCommand(*this, std::move(after), text, merge));
}

void ExperimentBuilder::setDraft(Draft draft) {
    draft_ = std::move(draft);
    const Experiment& experiment = draft_->experiment;
    if (name_->text().toStdString() != experiment.name)
        name_->setText(QString::fromStdString(experiment.name));
    if (about_->toPlainText().toStdString() != experiment.about)
        about_->setPlainText(QString::fromStdString(experiment.about));
    if (source_->text().toStdString() != experiment.source.place)
        source_->setText(QString::fromStdString(experiment.source.place));
    metrics_->setMetrics(experiment.metrics);
    if (experiment.base != fieldsOf_)
        base_->setBase(experiment.base, baseNames_[std::hash<std::string>()(experiment.base)]);
    planners_->setPlanners(experiment.planners);
    showFields();
    showAxes();
    claims_->setClaims(experiment.claims);
    check();
}

void ExperimentBuilder::showFields() {
    std::set<std::string> varied;
    for (const AxisDraft& axis : draft_->axes) {
        for (const std::string& pointer : axis.field.pointers) varied.insert(pointer);
        for (const AxisValue& value : axis.cases)
            for (const Change& change : value.changes) varied.insert(change.pointer);
    }
    // Looking into a base takes its whole problem: only where it is another.
    std::vector<VariableField> fields;
    if (draft_->experiment.base == fieldsOf_) {
        fields = fields_->fields();
        std::erase_if(fields,
                      [](const VariableField& field) { return field.groups.front() == plannersGroup; });
        for (VariableField& field : plannerFields(draft_->experiment)) fields.push_back(std::move(field));
    } else {
        fields = variableFields(draft_->experiment);
        fieldsOf_ = draft_->experiment.base;
    }
    fields_->setFields(std::move(fields), std::move(varied));
}

void ExperimentBuilder::showAxes() {
    const std::vector<AxisDraft>& axes = draft_->axes;
    axesHint_->setVisible(axes.empty());
    while (cards_.size() > axes.size()) {
        cards_.back()->hide();
        cards_.back()->deleteLater();
        cards_.pop_back();
    }
    while (cards_.size() < axes.size()) {
        auto* card = new AxisCard;
        const std::size_t axis = cards_.size();
        cards_.push_back(card);
        axesColumn_->addWidget(card);
        connect(card, &AxisCard::edited, this, [this, axis](const AxisDraft& now) {
            edit(tr("an axis"), QStringLiteral("axis %1").arg(axis),
                 [&](ExperimentDraft& draft) { draft.axes[axis] = now; });
        });
        connect(card, &AxisCard::renamed, this, [this, axis](const QString& name) {
            edit(tr("an axis' name"), QStringLiteral("axis name %1").arg(axis),
                 [&](ExperimentDraft& draft) { renameAxis(draft, axis, name.toStdString()); });
        });
        connect(card, &AxisCard::removeRequested, this, [this, axis] {
            edit(tr("an axis taken away"), {}, [&](ExperimentDraft& draft) {
                draft.axes.erase(draft.axes.begin() + static_cast<std::ptrdiff_t>(axis));
            });
        });
        connect(card, &AxisCard::moveRequested, this, [this, axis](int by) {
            const std::size_t to = axis + static_cast<std::size_t>(by);
            if (to >= draft_->axes.size()) return;
            edit(tr("the order of axes"), {},
                 [&](ExperimentDraft& draft) { std::swap(draft.axes[axis], draft.axes[to]); });
        });
    }
    for (std::size_t i = 0; i < axes.size(); ++i) cards_[i]->setDraft(axes[i]);
}

void ExperimentBuilder::addAxis(const VariableField& field) {
    for (std::size_t i = 0; i < draft_->axes.size(); ++i)
        if (draft_->axes[i].field.pointers == field.pointers) return cards_[i]->focusValues();
    edit(tr("an axis"), {}, [&](ExperimentDraft& draft) {
        AxisDraft axis = axisOver(field);
        axis.name = freshAxisName(draft, axis.name);
        // What takes the place of a whole part comes before what changes the part.
        const bool part = field.kind == VariableField::Kind::file;
        draft.axes.insert(part ? draft.axes.begin() : draft.axes.end(), std::move(axis));
    });
    AxisCard* card = field.kind == VariableField::Kind::file ? cards_.front() : cards_.back();
    QMetaObject::invokeMethod(
        card, [this, card] { scroll_->ensureWidgetVisible(card); }, Qt::QueuedConnection);
    card->focusValues();
}

void ExperimentBuilder::check() {
    checking_.abandon();
    const CheckedDraft texts = checkTexts(*draft_);
    claims_->setExperiment(texts.experiment ? *texts.experiment : draft_->experiment);
    if (!texts.experiment) return takeChecked(texts);
    if (draft_->experiment.base.size() <= mostAtOnce) return takeChecked(checkWhole(*texts.experiment));
    takeChecked({});
    say(gridText(*texts.experiment));
    checking_.start(BackgroundTask::Work([this, experiment = *texts.experiment](const PlanningContext&) {
        const auto checked = std::make_shared<const CheckedDraft>(checkWhole(experiment));
        return BackgroundTask::Deliver([this, checked] { takeChecked(*checked); });
    }));
}

void ExperimentBuilder::takeChecked(const CheckedDraft& checked) {
    checked_ = checked;
    showMistakes();
    showForecast();
}

void ExperimentBuilder::showMistakes() {
    base_->showError({});
    planners_->showError({});
    name_->setProperty("invalid", false);
    for (AxisCard* card : cards_) card->setMistake({}, {});
    for (std::size_t claim = 0; claim < claims_->count(); ++claim) claims_->showError(claim, {});
    for (const DraftMistake& mistake : checked_.mistakes) {
        const QString place = QString::fromStdString(mistake.place),
                      text = QString::fromStdString(mistake.text);
        const auto number = static_cast<std::size_t>(place.section(u'/', 2, 2).toUInt());
        if (place == QLatin1String("/name")) {
            name_->setProperty("invalid", true);
            name_->setToolTip(text);
        } else if (place.startsWith(QLatin1String("/axes/")) && number < cards_.size()) {
            cards_[number]->setMistake(mistake.part, text);
        } else if (place.startsWith(QLatin1String("/planners"))) {
            planners_->showError(text);
        } else if (place.startsWith(QLatin1String("/claims/")) && number < claims_->count()) {
            claims_->showError(number, text);
        } else {
            const QString field = place.section(QStringLiteral("/base/"), 1);
            base_->showError(field.isEmpty() ? text : field + QStringLiteral(": ") + text);
        }
    }
    name_->setStyleSheet(QString());
    run_->setEnabled(checked_.experiment.has_value());
    save_->setEnabled(checked_.experiment.has_value());
}

void ExperimentBuilder::showForecast() {
    wait_.stop();
    forecasting_.abandon();
    if (!checked_.experiment) {
        const bool one = checked_.mistakes.size() == 1;
        if (checked_.mistakes.empty()) return say({});  // not looked at yet
        say(one ? QString::fromStdString(checked_.mistakes.front().text)
                : tr("%1 fields cannot be read yet").arg(checked_.mistakes.size()));
        return;
    }
    say(gridText(*checked_.experiment));
    wait_.start();
}

void ExperimentBuilder::askForecast() {
    if (!checked_.experiment) return;
    const auto grid = std::make_shared<const Grid>(*checked_.experiment);
    forecasting_.start(BackgroundTask::Work([this, grid](const PlanningContext& context) {
        const RunForecast forecast = forecastRun(*grid, context.stop);
        context.throwIfStopped();
        return BackgroundTask::Deliver(
            [this, grid, forecast] { say(gridText(grid->experiment()) + forecastText(forecast, *grid)); });
    }));
}

void ExperimentBuilder::say(const QString& sentence) { forecast_->setText(sentence); }

void ExperimentBuilder::save() {
    const QString folder = path_.isEmpty() ? QDir::homePath() : QFileInfo(path_).path();
    const QString name = fileNameOf(QString::fromStdString(draft_->experiment.name));
    QString path = QFileDialog::getSaveFileName(this, tr("Save experiment"),
                                                path_.isEmpty() ? folder + u'/' + name + suffix : path_,
                                                tr("Experiments (*%1)").arg(suffix));
    if (path.isEmpty()) return;
    if (!path.endsWith(QLatin1String(".json"))) path += suffix;
    saveTo(path);
}

void ExperimentBuilder::saveTo(const QString& path) {
    if (!checked_.experiment) return;
    try {
        const Experiment moved = movedTo(*checked_.experiment, QFileInfo(path).absolutePath().toStdString());
        writeFileAtomically(path.toStdString(), writeExperiment(moved));
        path_ = path;
        undo_.setClean();
        say(tr("Saved %1").arg(QDir::toNativeSeparators(path)));
        emit saved(path, moved);
    } catch (const std::exception& error) {
        say(QString::fromUtf8(error.what()));
    }
}

}  // namespace stagecraft
