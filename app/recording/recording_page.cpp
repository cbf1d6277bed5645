#include "app/recording/recording_page.h"

#include "app/document/file_names.h"
#include "app/recording/finding_parts.h"
#include "app/recording/report_panel.h"
#include "core/editing/plan_edit.h"
#include "core/recordings/calibration.h"
#include "views/common/theme.h"
#include "views/plan/plan_notes.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPoint>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app::recording {

namespace {
constexpr int reportWidth = 280;
constexpr double clipboardScale = 2;

// What the choice of something to compare with is, in the data of its entries.
struct Against {
    int plan = 0;
    int recording = -1;
};
QVariant dataOf(const Against& against) { return QPoint(against.plan, against.recording); }
Against againstOf(const QVariant& data) { return {data.toPoint().x(), data.toPoint().y()}; }
}  // namespace

RecordingPage::RecordingPage(Workspace& workspace, QWidget* parent)
    : Page({QStringLiteral("recording"), "recording", tr("Recording"), tr("&Recording of a run"), 6,
            tr("What ran when, as it was recorded")},
           parent),
      workspace_(workspace),
      library_(workspace),
      pages_(new QStackedWidget) {
    setObjectName(QStringLiteral("recordingPage"));
    layOut();
    connect(&library_, &RecordingLibrary::changed, this, &RecordingPage::follow);
    connect(&library_, &RecordingLibrary::failed, this, &RecordingPage::failed);
    connect(&workspace_, &Workspace::recordingsChanged, this, &RecordingPage::follow);
    connect(&calibrating_, &Job::ended, this, [this](bool, const QString& failure) {
        calibrate_->setEnabled(true);
        if (!failure.isEmpty()) emit failed({{}, {}, failure});
    });
    connect(&workspace_, &Workspace::runsChanged, this, [this] {
        if (isVisible()) bringUpToDate(nullptr);
    });
    connect(&workspace_, &Workspace::problemChanged, this, [this] {
        if (gains_) showReport();
    });
}

RecordingPage::~RecordingPage() = default;

void RecordingPage::layOut() {
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->setChildrenCollapsible(false);
    report_ = new ReportPanel;
    connect(report_, &ReportPanel::linkActivated, this, [this](const QString& link) {
        bool known = false;
        if (link == QLatin1String(iterationLink))
            showTypicalIteration();
        else if (const int gain = link.toInt(&known); known)
            propose(gain);
    });
    splitter->addWidget(report_);
    body_ = splitter;
    auto* waiting = new QLabel(tr("Reading the recording…"));
    waiting->setAlignment(Qt::AlignCenter);
    waiting->setProperty("role", "muted");
    waiting_ = waiting;
    pages_->addWidget(waiting_);
    pages_->addWidget(body_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(newBar());
    column->addWidget(pages_, 1);
}

void RecordingPage::showTypicalIteration() {
    if (!view_ || !run_ || !found_ || found_->typicalIteration < 0) return;
    const RecordedIteration& it =
        run_->recording->iterations[static_cast<std::size_t>(found_->typicalIteration)];
    view_->setVisibleRange(it.startS, it.endS);
}

QWidget* RecordingPage::newBar() {
    auto* bar = new QWidget;
    bar->setObjectName(QStringLiteral("recordingBar"));
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(8, 4, 8, 4);
    choice_ = new QComboBox;
    choice_->setObjectName(QStringLiteral("recordingChoice"));
    choice_->setToolTip(tr("Which of the project's recordings is shown"));
    choice_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(choice_, &QComboBox::activated, this, &RecordingPage::show);
    remove_ = new QToolButton;
    remove_->setObjectName(QStringLiteral("removeRecording"));
    remove_->setIcon(lineIcon(QStringLiteral("remove")));
    remove_->setToolTip(tr("Remove this recording from the project; its files stay"));
    remove_->setAutoRaise(true);
    remove_->setFocusPolicy(Qt::TabFocus);
    connect(remove_, &QToolButton::clicked, this, &RecordingPage::removeShown);
    against_ = new QComboBox;
    against_->setObjectName(QStringLiteral("compareWith"));
    against_->setToolTip(
        tr("Draws what a plan foresaw, or what another recording has, as outlines over the blocks"));
    against_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(against_, &QComboBox::activated, this, [this] {
        const Against chosen = againstOf(against_->currentData());
        chosen.recording >= 0 ? compareWithRecording(chosen.recording) : compareWithPlan(chosen.plan);
    });
    calibrate_ = new QPushButton(tr("Calibrate"));
    calibrate_->setObjectName(QStringLiteral("calibrate"));
    calibrate_->setToolTip(
        tr("Takes the measured times into the profile and the links; Undo takes them back"));
    connect(calibrate_, &QPushButton::clicked, this, &RecordingPage::calibrate);
    title_ = new QLabel;
    title_->setProperty("role", "muted");
    row->addWidget(title_);
    row->addWidget(choice_);
    row->addSpacing(12);
    row->addWidget(against_);
    row->addWidget(calibrate_);
    row->addStretch();
    row->addWidget(remove_);
    return bar;
}

void RecordingPage::makeView() {
    if (view_) return;
    view_ = new PlanView;
    auto* splitter = static_cast<QSplitter*>(body_);
    splitter->insertWidget(0, view_);
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 0);
    splitter->setSizes({std::max(1, width() - reportWidth), reportWidth});
    setFocusProxy(view_);
    connect(view_, &PlanView::exportRequested, this, &RecordingPage::exportRequested);
    connect(view_, &PlanView::ready, this, [this] {
        if (outlines_) view_->setPlanned(outlines_);  // a large recording is prepared after it was compared
    });
    connect(view_, &PlanView::statusText, this, &RecordingPage::statusText);
    connect(view_, &PlanView::notesEdited, this, &RecordingPage::takeNotes);
}

void RecordingPage::open(const std::vector<std::string>& files, std::shared_ptr<const RecordedRun> recorded) {
    library_.put(files, std::move(recorded));
    const std::vector<RecordedFiles>& all = workspace_.recordings();
    const auto known = std::ranges::find(all, files, &RecordedFiles::files);
    const int place = static_cast<int>(known - all.begin());
    if (known == all.end()) {
        std::vector<RecordedFiles> more = all;
        more.push_back({files});
        workspace_.setRecordings(std::move(more), tr("Add recording"));
    }
    show(place);
}

void RecordingPage::show(int recording) {
    shown_ = recording;
    follow();
}

void RecordingPage::removeShown() {
    std::vector<RecordedFiles> recordings = workspace_.recordings();
    if (shown_ < 0 || shown_ >= static_cast<int>(recordings.size())) return;
    recordings.erase(recordings.begin() + shown_);
    compared_.recording = -1;  // others have other numbers now
    workspace_.setRecordings(std::move(recordings), tr("Remove recording"));
}

void RecordingPage::calibrate() {
    const PlanItem* item = workspace_.plan(compared_.plan);
    if (!item || !run_) return;
    calibrate_->setEnabled(false);
    calibrating_.start(
        [problem = workspace_.sharedProblem(), plan = item->plan, run = run_] {
            return stagecraft::recordings::calibrated(*problem, plan, *run->recording);
        },
        [this](const stagecraft::recordings::Calibration& made) { take(made); });
}

/// In one step, so that one Undo takes all of it back.
void RecordingPage::take(const stagecraft::recordings::Calibration& made) {
    const QString text = tr("Calibrate to %1").arg(choice_->currentText());
    workspace_.undoStack()->beginMacro(text);
    workspace_.editProfile(made.problem.profile, text);
    workspace_.editCluster(made.problem.cluster, text);
    workspace_.setSetup(made.problem.setup);
    workspace_.undoStack()->endMacro();
    calibration_ = calibrationPart(made);
    showReport();
}

void RecordingPage::changeEvent(QEvent* event) {
    Page::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && report_) {
        remove_->setIcon(lineIcon(QStringLiteral("remove")));
        showReport();
    }
}

bool RecordingPage::isOffered() const { return !workspace_.recordings().empty(); }

void RecordingPage::projectReplaced() {
    shown_ = -1;
    seen_.states.clear();  // how the document before was looked at is not kept
    seen_.inView.clear();
    compared_.plan = 0;
    compared_.recording = -1;
    calibration_ = {};
    follow();
}

/// What the document and the library have.
void RecordingPage::follow() {
    const int count = static_cast<int>(workspace_.recordings().size());
    shown_ = count == 0 ? -1 : std::clamp(shown_, 0, count - 1);
    if (compared_.recording >= count || compared_.recording == shown_) compared_.recording = -1;
    showChoices();
    emit stateChanged();
    if (isVisible()) bringUpToDate(nullptr);
}

void RecordingPage::bringUpToDate(const PlanItem*) {
    showRun();
    showAgainst();
    compare();
}

void RecordingPage::plansChanged() {
    if (isVisible()) showAgainst();
}

void RecordingPage::showRun() {
    const auto run =
        shown_ < 0 ? nullptr : library_.find(workspace_.recordings()[static_cast<std::size_t>(shown_)]);
    if (run) makeView();
    if (run != run_) {
        keepState();
        run_ = run;
        seen_.inView = run ? workspace_.recordings()[static_cast<std::size_t>(shown_)].files
                           : std::vector<std::string>();
        if (view_) {
            view_->setViewState(run ? seen_.states[seen_.inView] : PlanViewState());
            view_->setRecorded(run_);
        }
        compared_.run = nullptr;
        compared_.other = nullptr;
        comparison_ = calibration_ = {};
        outlines_ = nullptr;
        found_ = nullptr;
        showReport();
        findOut();
        emit stateChanged();
    }
    static_cast<QLabel*>(waiting_)->setText(library_.isReading() ? tr("Reading the recording…")
                                                                 : tr("The files of this recording could not "
                                                                      "be read; see Problems."));
    pages_->setCurrentWidget(run_ ? body_ : waiting_);
    showNotes();
}

/// Before another recording takes its place.
void RecordingPage::keepState() {
    if (view_ && run_ && !seen_.inView.empty()) seen_.states[seen_.inView] = view_->viewState();
}

std::vector<PlanViewState> RecordingPage::viewStates() const {
    std::vector<PlanViewState> all;
    for (const RecordedFiles& each : workspace_.recordings()) {
        const auto known = seen_.states.find(each.files);
        if (each.files == seen_.inView && view_)
            all.push_back(view_->viewState());
        else
            all.push_back(known == seen_.states.end() ? PlanViewState() : known->second);
    }
    return all;
}

void RecordingPage::setViewStates(const std::vector<PlanViewState>& states) {
    const std::vector<RecordedFiles>& all = workspace_.recordings();
    for (std::size_t i = 0; i < std::min(states.size(), all.size()); ++i) {
        seen_.states[all[i].files] = states[i];
        if (all[i].files == seen_.inView && view_) view_->setViewState(states[i]);
    }
}

/// What it says by itself, away from the GUI thread.
void RecordingPage::findOut() {
    finding_.abandon();
    gaining_.abandon();
    gains_ = nullptr;
    if (!run_) return;
    finding_.start(
        [run = run_](const JobContext& context) {
            return stagecraft::recordings::findingsOf(*run->recording, true, context);
        },
        [this](const stagecraft::recordings::RecordingFindings& found) {
            found_ = std::make_shared<const stagecraft::recordings::RecordingFindings>(found);
            showReport();
            emit stateChanged();
            if (found.hasPasses()) findGains();
        });
}

QString RecordingPage::summary() const {
    if (!found_ || shown_ < 0) return {};
    return choice_->currentText() + QStringLiteral(": ") + findingSummary(*found_);
}

void RecordingPage::findGains() {
    using stagecraft::recordings::TellingGains;
    gaining_.start(
        [run = run_](const JobContext& context) -> std::shared_ptr<const TellingGains> {
            try {
                return std::make_shared<TellingGains>(
                    stagecraft::recordings::tellingGains(*run->recording, context));
            } catch (const std::invalid_argument&) {
                return nullptr;  // no plan can be made of it, which the findings say
            }
        },
        [this](const std::shared_ptr<const TellingGains>& gains) {
            gains_ = gains;
            showReport();
        });
}

/// What is predicted is so for the problem that is made of the recording.
bool RecordingPage::canPropose() const {
    return gains_ && stagecraft::recordings::predictsAlike(workspace_.problem(), gains_->problem);
}

void RecordingPage::propose(int gain) {
    if (!canPropose() || gain < 0 || gain >= static_cast<int>(gains_->gains.size())) return;
    Plan plan = gains_->gains[static_cast<std::size_t>(gain)].plan;
    plan.planner = handMade;
    for (const PlanItem& item : workspace_.plans())
        if (item.plan.stages == plan.stages && item.plan.schedule == plan.schedule) {
            emit planRequested(item.id);
            return;
        }
    emit planRequested(workspace_.addPlan(plan));
}

void RecordingPage::showNotes() {
    if (!run_ || shown_ < 0) return;
    const std::vector<ChartNote>& notes = workspace_.recordings()[static_cast<std::size_t>(shown_)].notes;
    if (view_->notes().notes() != notes) view_->notes().setNotes(notes);
}

void RecordingPage::showReport() {
    if (!run_) return;
    std::vector<ReportPart> parts;
    for (const ReportPart& part : {comparison_, calibration_})
        if (!part.html.isEmpty()) parts.push_back(part);
    if (found_)
        for (ReportPart& part : findingParts(*run_->recording, *found_)) parts.push_back(std::move(part));
    if (gains_ && found_) parts.push_back(gainsPart(*gains_, *found_, canPropose()));
    for (ReportPart& part : readerParts(*run_->recording)) parts.push_back(std::move(part));
    report_->setParts(parts);
}

/// Plans with a timeline, and the other recordings that could be read.
void RecordingPage::showAgainst() {
    const QSignalBlocker quiet(against_);
    against_->clear();
    against_->addItem(tr("Compare with…"), dataOf({}));
    if (run_ && run_->recording->stageCount() > 0)
        for (const PlanItem& item : workspace_.plans())
            if (item.okRun() || item.id == compared_.plan)  // it may be worked out anew
                against_->addItem(item.title(), dataOf({item.id, -1}));
    const std::vector<RecordedFiles>& all = workspace_.recordings();
    for (int i = 0; i < static_cast<int>(all.size()); ++i)
        if (i != shown_ && library_.find(all[static_cast<std::size_t>(i)]))
            against_->addItem(choice_->itemText(i), dataOf({0, i}));
    const int chosen = against_->findData(dataOf({compared_.plan, compared_.recording}));
    if (chosen < 0) {
        compared_.plan = 0;
        compared_.recording = -1;
    }
    against_->setCurrentIndex(std::max(0, chosen));
    against_->setVisible(against_->count() > 1);
    calibrate_->setVisible(compared_.plan != 0);
}

void RecordingPage::compareWithPlan(int id) {
    compared_.plan = id;
    compared_.recording = -1;
    calibration_ = {};
    showAgainst();
    compare();
}

void RecordingPage::compareWithRecording(int recording) {
    compared_.plan = 0;
    compared_.recording = recording;
    calibration_ = {};
    showAgainst();
    compare();
}

void RecordingPage::compare() {
    const PlanItem* item = workspace_.plan(compared_.plan);
    const auto plan = item ? item->okRun() : nullptr;
    if (item && !plan) return;  // until it is worked out
    const auto other =
        compared_.recording < 0
            ? nullptr
            : library_.find(workspace_.recordings()[static_cast<std::size_t>(compared_.recording)]);
    if (plan == compared_.run && other == compared_.other) return;
    compared_.run = plan;
    compared_.other = other;
    comparing_.abandon();
    if (!run_ || (!plan && !other)) return showComparison({});
    comparing_.start(
        [plan, other, own = run_] { return plan ? comparedWith(*plan, *own) : comparedWith(*other, *own); },
        [this](RunComparison made) { showComparison(std::move(made)); });
}

void RecordingPage::showComparison(RunComparison comparison) {
    outlines_ = std::move(comparison.outlines);
    if (view_) view_->setPlanned(outlines_);
    comparison_ = std::move(comparison.part);
    showReport();
    emit stateChanged();
}

void RecordingPage::showChoices() {
    const QSignalBlocker quiet(choice_);
    choice_->clear();
    for (const RecordedFiles& files : workspace_.recordings()) {
        const auto run = library_.find(files);
        const QString title = run ? QString::fromStdString(run->recording->title) : QString();
        choice_->addItem(title.isEmpty() ? titleOfRecording(files) : title);
    }
    choice_->setCurrentIndex(shown_);
    choice_->setVisible(choice_->count() > 1);
    title_->setText(choice_->currentText());
    title_->setVisible(choice_->count() == 1);
}

std::vector<NotedRecording> RecordingPage::drawn() const {
    std::vector<NotedRecording> read;
    for (const RecordedFiles& files : workspace_.recordings())
        if (auto run = library_.find(files)) read.push_back({std::move(run), files.notes});
    return read;
}

std::vector<FigureSource> RecordingPage::figures(const PlanItem*) const {
    if (!hasFigures()) return {};
    return {recordingSource(run_, workspace_.recordings()[static_cast<std::size_t>(shown_)].notes)};
}

std::optional<FigurePart> RecordingPage::partInView() const {
    if (!view_ || !view_->isReady()) return std::nullopt;
    const Timeline& timeline = run_->recording->timeline;
    FigurePart part;
    if (const auto range = view_->visibleRange();
        range.first > timeline.firstStartS() || range.second < timeline.lastEndS())
        part.timeS = range;
    return part;
}

bool RecordingPage::takeNotes(const std::vector<ChartNote>& notes, const QString& text) {
    std::vector<RecordedFiles> recordings = workspace_.recordings();
    recordings[static_cast<std::size_t>(shown_)].notes = notes;
    workspace_.setRecordings(std::move(recordings), text);
    return true;
}

QString RecordingPage::figuresSubject() const {
    return run_ ? QString::fromStdString(run_->recording->title) : QString();
}

QImage RecordingPage::picture() { return view_ ? view_->picture(clipboardScale) : Page::picture(); }

QWidget* RecordingPage::focusTarget() { return view_ ? static_cast<QWidget*>(view_) : this; }

}  // namespace stagecraft::app::recording
