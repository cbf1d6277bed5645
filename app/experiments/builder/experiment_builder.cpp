#include "app/experiments/builder/experiment_builder.h"

#include "app/document/file_name.h"
#include "app/experiments/builder/axis_card.h"
#include "app/experiments/builder/claims_editor.h"
#include "app/experiments/builder/field_tree.h"
#include "app/experiments/builder/metric_ticks.h"
#include "app/experiments/builder/planner_ticks.h"
#include "app/experiments/own_experiments.h"
#include "app/experiments/run_forecast.h"
#include "core/formats/native/formats.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStyle>
#include <QVBoxLayout>

namespace stagecraft {

namespace {

constexpr int forecastMs = 300;  // after the last change
constexpr int leftWidth = 384;
constexpr std::size_t mostAtOnce = 20'000;  // bytes of a base that is looked at within a frame

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
        takeBase(tr("another base"), base, {});
    });
    begin(freshExperiment(), {});
}

void ExperimentBuilder::begin(const Experiment& experiment, const QString& path) {
    emit begun(path);
    settling_.abandon();
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

void ExperimentBuilder::rename(const QString& name) {
    edit(tr("its name"), {}, [&](ExperimentDraft& draft) { draft.experiment.name = name.toStdString(); });
}

void ExperimentBuilder::takeBase(const QString& text, const std::string& base,
                                 const std::filesystem::path& directory) {
    const auto put = [this, text, base, directory](std::vector<AxisDraft> axes) {
        edit(text, {}, [&](ExperimentDraft& draft) {
            draft.experiment.base = base;
            draft.experiment.directory = directory;
            draft.axes = std::move(axes);
        });
    };
    settling_.abandon();
    if (draft_->axes.empty()) return put({});
    const auto settle = [base, directory](ExperimentDraft draft) {
        draft.experiment.directory = directory;
        setBase(draft, base);
        return draft.axes;
    };
    if (base.size() <= mostAtOnce) return put(settle(*draft_));
    settling_.start(BackgroundTask::Work([=, this, before = draft_](const PlanningContext&) {
        const auto axes = std::make_shared<std::vector<AxisDraft>>(settle(*before));
        return BackgroundTask::Deliver([=, this] {
            // Axes that were edited meanwhile are to rest on it as well.
            draft_ == before ? put(*axes) : takeBase(text, base, directory);
        });
    }));
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
    finding_.abandon();
    fields_->setEnabled(true);
    // Looking into a base takes its whole problem: only where it is another.
    if (draft_->experiment.base == fieldsOf_) {
        std::vector<VariableField> fields = fields_->fields();
        std::erase_if(fields,
                      [](const VariableField& field) { return field.groups.front() == plannersGroup; });
        for (VariableField& field : plannerFields(draft_->experiment)) fields.push_back(std::move(field));
        return fields_->setFields(std::move(fields), std::move(varied));
    }
    if (draft_->experiment.base.size() <= mostAtOnce) {
        fieldsOf_ = draft_->experiment.base;
        return fields_->setFields(variableFields(draft_->experiment), std::move(varied));
    }
    fields_->setEnabled(false);
    finding_.start(BackgroundTask::Work([this, draft = draft_, varied](const PlanningContext&) {
        const auto fields = std::make_shared<std::vector<VariableField>>(variableFields(draft->experiment));
        return BackgroundTask::Deliver([this, draft, fields, varied] {
            fieldsOf_ = draft->experiment.base;
            fields_->setEnabled(true);
            fields_->setFields(std::move(*fields), varied);
        });
    }));
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
    emit looked();
}

void ExperimentBuilder::showMistakes() {
    base_->showError({});
    planners_->showError({});
    name_->setProperty("invalid", false);
    name_->setToolTip({});
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
    name_->style()->unpolish(name_);
    name_->style()->polish(name_);
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
    // A file among the kept was never chosen by anybody.
    const QString name = fileNameOf(QString::fromStdString(draft_->experiment.name)) + experimentSuffix;
    const bool chosen = !path_.isEmpty() && !OwnExperiments::isKept(path_);
    QString path = QFileDialog::getSaveFileName(this, tr("Save experiment"),
                                                chosen ? path_ : QDir::homePath() + u'/' + name,
                                                tr("Experiments (*%1)").arg(experimentSuffix));
    if (path.isEmpty()) return;
    if (!path.endsWith(QLatin1String(".json"))) path += experimentSuffix;
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
