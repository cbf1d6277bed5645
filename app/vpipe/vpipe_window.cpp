#include "app/vpipe/vpipe_window.h"

#include "app/actions/window_keys.h"
#include "app/vpipe/drawing_export.h"
#include "app/vpipe/vpipe_files.h"
#include "core/formats/input_error.h"
#include "core/formats/profiles/network_script.h"
#include "core/formats/text_file.h"
#include "core/formats/traces/timeline_csv.h"
#include "core/planners/grouped_problem.h"
#include "core/planners/vpipe/vpipe_planner.h"
#include "views/common/on_screen.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/vpipe/changing_view.h"
#include "views/vpipe/migration_view.h"
#include "views/vpipe/rounds_view.h"
#include "views/vpipe/throughput_figure.h"
#include "views/vpipe/utilisation_view.h"

#include <QCloseEvent>
#include <QFileDialog>
#include <QLabel>
#include <QTabWidget>
#include <QVBoxLayout>

namespace stagecraft::app::vpipe {

namespace {

constexpr int settledWindowMs = 120;
constexpr QSize usualSize{1120, 720};

}  // namespace

VpipeWindow::VpipeWindow(Workspace& workspace, QWidget* parent)
    : QWidget(parent, Qt::Window),
      workspace_(workspace),
      title_(new QLabel),
      message_(new QLabel),
      tabs_(new QTabWidget),
      rounds_(new RoundsView),
      utilisation_(new UtilisationView),
      changing_(new ChangingView),
      migration_(new MigrationView) {
    setObjectName(QStringLiteral("vpipeWindow"));
    closeByKeys(*this);
    title_->setObjectName(QStringLiteral("vpipeTitle"));
    title_->setContentsMargins(12, 8, 12, 8);
    message_->setObjectName(QStringLiteral("vpipeMessage"));
    message_->setContentsMargins(12, 4, 12, 8);
    message_->setWordWrap(true);
    message_->hide();
    tabs_->setDocumentMode(true);
    tabs_->addTab(rounds_, tr("Rounds"));
    tabs_->addTab(utilisation_, tr("Utilisation"));
    tabs_->addTab(changing_, tr("Changing network"));
    tabs_->addTab(migration_, tr("Live migration"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(title_);
    layout->addWidget(tabs_, 1);
    layout->addWidget(message_);
    placeOnScreen(*this, usualSize);
    settled_.setSingleShot(true);
    settled_.setInterval(settledWindowMs);
    connect(&settled_, &QTimer::timeout, this, &VpipeWindow::bringUpToDate);
    connect(&workspace_, &Workspace::problemChanged, this, &VpipeWindow::documentChanged);
    connect(&workspace_, &Workspace::plansChanged, this, &VpipeWindow::documentChanged);
    connect(&workspace_, &Workspace::runsChanged, this, &VpipeWindow::documentChanged);
    connect(&workspace_, &Workspace::projectReplaced, this, [this] {
        lookedAt_ = 0;
        forget();
        documentChanged();
    });
    connectJobs();
    connectViews();
}

VpipeWindow::~VpipeWindow() = default;

void VpipeWindow::connectJobs() {
    connect(&roundsJob_, &Job::ended, this, [this](bool, const QString& failure) {
        if (failure.isEmpty()) return;
        rounds_->setStudy(nullptr, failure);
        showEnds();  // the project's own plans can change into one another all the same
        startMigration();
    });
    connect(&utilisationJob_, &Job::ended, this, [this](bool, const QString& failure) {
        utilisation_->setStatus({});
        if (!failure.isEmpty()) utilisation_->setRows({}, failure);
    });
    connect(&migrationJob_, &Job::ended, this,
            [this](bool, const QString& failure) { migration_->setStatus(failure, true); });
    connect(&changingJob_, &Job::progressed, changing_, &ChangingView::setProgress);
    connect(&changingJob_, &Job::ended, this, [this](bool stopped, const QString& failure) {
        changing_->setRunning(false);
        changing_->setStatus(stopped ? tr("Stopped") : failure, !failure.isEmpty());
    });
}

void VpipeWindow::connectViews() {
    connect(rounds_, &RoundsView::exportRequested, this, [this] {
        exportShown({tr("vpipe-round-%1").arg(rounds_->round()),
                     [study = rounds_->study(), round = rounds_->round()](const DrawingLook& look) {
                         return drawRound(*study, round, look);
                     },
                     {}});
    });
    connect(utilisation_, &UtilisationView::subjectChanged, this, &VpipeWindow::startUtilisation);
    connect(utilisation_, &UtilisationView::exportRequested, this, [this] {
        const auto rows = utilisation_->rows();
        exportShown({tr("utilisation"),
                     [rows](const DrawingLook& look) { return drawUtilisation(rows, look); },
                     [rows] { return utilisationCsv(rows); }});
    });
    connect(migration_, &MigrationView::choiceChanged, this, &VpipeWindow::startMigration);
    connect(migration_, &MigrationView::exportRequested, this, [this] {
        const MigrationCase shown = migration_->cases()[static_cast<std::size_t>(migration_->shownCase())];
        exportShown({tr("migration"),
                     [shown, range = migration_->range()](const DrawingLook& look) {
                         return drawMigration(shown, range, look);
                     },
                     [shown, problem = answered_->problem] {
                         return writeTimelineCsv(shown.migration->timeline, problem->cluster);
                     }});
    });
    connect(changing_, &ChangingView::scriptEdited, this, [this] { scriptIsOwn_ = true; });
    connect(changing_, &ChangingView::startRequested, this, &VpipeWindow::startChanging);
    connect(changing_, &ChangingView::stopRequested, this, [this] { changingJob_.stop(); });
    connect(changing_, &ChangingView::loadRequested, this, &VpipeWindow::loadScript);
    connect(changing_, &ChangingView::saveRequested, this, &VpipeWindow::saveScript);
    connect(changing_, &ChangingView::exportRequested, this, [this] {
        const auto points = changing_->points();
        exportShown({tr("throughput"),
                     [points](const DrawingLook& look) { return drawThroughput(points, look); },
                     [points] { return throughputCsv(points); }});
    });
}

bool VpipeWindow::isBusy() const {
    return settled_.isActive() || roundsJob_.isRunning() || utilisationJob_.isRunning() ||
           migrationJob_.isRunning() || changingJob_.isRunning();
}

void VpipeWindow::lookAt(int planId) {
    lookedAt_ = planId;
    documentChanged();
}

const PlanItem* VpipeWindow::item() const {
    const auto fits = [](const PlanItem* plan) {
        return plan && plan->isPlan() && plan->plan.planner == "vpipe";
    };
    if (const PlanItem* own = workspace_.plan(lookedAt_); fits(own)) return own;
    for (const PlanItem& each : workspace_.plans())
        if (fits(&each)) return &each;
    return nullptr;
}

void VpipeWindow::documentChanged() {
    if (isVisible()) settled_.start();
}

void VpipeWindow::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    settled_.start();
}

void VpipeWindow::closeEvent(QCloseEvent* event) {
    settled_.stop();
    if (isBusy()) problem_.reset();  // the next time it is worked out again
    abandonJobs();
    QWidget::closeEvent(event);
}

void VpipeWindow::bringUpToDate() {
    showTitle();
    const PlanItem* now = item();
    const std::optional<Plan> plan = now ? std::optional(now->plan) : std::nullopt;
    const bool sameProblem = problem_ && *problem_ == workspace_.problem();
    const bool samePlan = sameProblem && plan_ == plan;
    problem_ = workspace_.sharedProblem();
    plan_ = plan;
    if (const auto why = whyUnplannable(*problem_)) {
        forget();
        rounds_->setStudy(nullptr, QString::fromStdString(*why));
        utilisation_->setRows({}, QString::fromStdString(*why));
        return;
    }
    if (!samePlan) startRounds(!sameProblem && !scriptIsOwn_);
    if (!samePlan || utilisation_->subject() == UtilisationView::Subject::plans) startUtilisation();
    if (samePlan) {
        showEnds();
        startMigration();
    }
    if (sameProblem) return;
    changingJob_.abandon();
    changing_->setRunning(false);
    changing_->setPoints({});
    changing_->setStatus({});
}

void VpipeWindow::abandonJobs() {
    for (Job* job : {&roundsJob_, &utilisationJob_, &migrationJob_, &changingJob_}) job->abandon();
    changing_->setRunning(false);
}

void VpipeWindow::forget() {
    abandonJobs();
    problem_.reset();
    rounds_->setStudy(nullptr);
    utilisation_->setRows({});
    utilisation_->setStatus({});
    forgetMigration();
    changing_->setPoints({});
    changing_->setStatus({});
}

void VpipeWindow::forgetMigration() {
    migrationJob_.abandon();
    asked_.reset();
    ends_.clear();
    migration_->setPlans({}, 0, 0);
    migration_->setCases({});
    migration_->setStatus({});
}

void VpipeWindow::showTitle() {
    setWindowTitle(tr("vPipe — %1").arg(workspace_.title()));
    const PlanItem* shown = item();
    const auto settings = planners::vpipe::settingsOf(
        vpipeValues(shown ? std::optional(shown->plan) : std::nullopt), workspace_.problem().setup.mode);
    const QString over = settings.system == planners::vpipe::System::synchronous
                             ? tr("GPipe, with a barrier")
                             : tr("PipeDream, without a barrier");
    QString title = shown ? tr("<b>vPipe</b> over %1: plan %2").arg(over, shown->title().toHtmlEscaped())
                          : tr("<b>vPipe</b> over %1, with its usual parameters").arg(over);
    if (const std::string without = planners::groupsLeftOut(workspace_.problem()); !without.empty())
        title += QStringLiteral(", ") + qtText(without).toHtmlEscaped();
    title_->setText(title);
}

void VpipeWindow::startRounds(bool withScript) {
    rounds_->setStudy(nullptr, tr("Working out the iteration…"));
    forgetMigration();  // its ends are rounds of another iteration
    roundsJob_.start(
        [this, problem = problem_, plan = plan_, withScript](const JobContext& context) {
            if (withScript)
                context.handOver([this, script = usualScript(*problem)] { changing_->setScript(script); });
            return std::make_shared<RoundsStudy>(studyRounds(*problem, vpipeValues(plan), plan, context));
        },
        [this](const std::shared_ptr<RoundsStudy>& study) {
            rounds_->setStudy(study);
            showEnds();
            startMigration();
        });
}

void VpipeWindow::startUtilisation() {
    if (!problem_) return;
    if (utilisation_->subject() == UtilisationView::Subject::plans) {
        utilisationJob_.abandon();
        utilisation_->setStatus({});
        std::vector<UtilisationRow> rows;
        for (const PlanItem& each : workspace_.plans())
            if (each.run) rows.push_back(utilisationRow(*each.run));
        return utilisation_->setRows(std::move(rows), tr("The project has no plans yet."));
    }
    utilisation_->setStatus(tr("Planning…"));
    utilisationJob_.start(
        [problem = problem_, plan = plan_](const JobContext& context) {
            return utilisationWithParts(*problem, vpipeValues(plan), context);
        },
        [this](std::vector<UtilisationRow> rows) { utilisation_->setRows(std::move(rows)); });
}

/// Rounds of the iteration, then the project's plans that run on its problem.
void VpipeWindow::showEnds() {
    ends_.clear();
    const bool current = problem_ && *problem_ == workspace_.problem();
    int last = 0;
    if (const auto& study = rounds_->study()) {
        last = study->chosen > 0 ? study->chosen : static_cast<int>(study->rounds.size()) - 1;
        for (std::size_t i = 0; i < study->rounds.size(); ++i)
            ends_.push_back(
                {tr("Round %1").arg(i) + (static_cast<int>(i) == study->chosen ? tr(" (chosen)") : QString()),
                 study->rounds[i].stages, study->rounds[i].memory});
    }
    for (const PlanItem& each : workspace_.plans())
        if (current && each.run && each.run->ok())
            ends_.push_back({tr("Plan %1").arg(each.title()), each.plan.stages, each.plan.memory});
    // Where the iteration moves nothing, some other plan may.
    if (!ends_.empty() && ends_[static_cast<std::size_t>(last)].stages == ends_.front().stages) {
        const auto other = std::find_if(ends_.begin(), ends_.end(), [this](const MigrationEnd& each) {
            return each.stages != ends_.front().stages;
        });
        if (other != ends_.end()) last = static_cast<int>(other - ends_.begin());
    }
    QStringList names;
    for (const MigrationEnd& each : ends_) names << each.name;
    migration_->setPlans(names, 0, last);
}

void VpipeWindow::startMigration() {
    const int from = migration_->from(), to = migration_->to();
    const auto valid = [this](int end) { return end >= 0 && end < static_cast<int>(ends_.size()); };
    if (!problem_ || !valid(from) || !valid(to)) return migration_->setCases({});
    const MigrationQuestion question{problem_, ends_[static_cast<std::size_t>(from)],
                                     ends_[static_cast<std::size_t>(to)], migration_->afterMicrobatch()};
    if (asked_ == question) return;
    migrationJob_.abandon();
    asked_ = question;
    if (question.first.stages == question.last.stages) {
        migration_->setCases({});
        return migration_->setStatus(
            tr("Both have the same stages: no layer moves. Choose another round or plan."));
    }
    migration_->setStatus(tr("Simulating…"));
    migrationJob_.start(
        [question](const JobContext& context) {
            return migrationCases(*question.problem, question.first, question.last, question.after, context);
        },
        [this, question](std::vector<MigrationCase> cases) {
            answered_ = question;
            migration_->setCases(std::move(cases));
        });
}

void VpipeWindow::startChanging() {
    if (!problem_) return;
    const NetworkScript script = changing_->script();
    if (!script.events.empty() && script.events.back().atS >= script.durationS)
        return changing_->setStatus(tr("An event comes after training ends."), true);
    changing_->setStatus(tr("Planning after each event…"));
    changing_->setRunning(true);
    changingJob_.start(
        [problem = problem_, plan = plan_, script](const JobContext& context) {
            return planners::vpipe::changingNetwork(
                *problem, script, planners::vpipe::settingsOf(vpipeValues(plan), problem->setup.mode),
                context);
        },
        [this](const auto& points) { changing_->setPoints(points); });
}

void VpipeWindow::loadScript() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a network script"), {},
                                                      tr("Network scripts (*.json);;All files (*)"));
    if (path.isEmpty()) return;
    try {
        changing_->setScript(readNetworkScript(readTextFile(path.toStdString()), path.toStdString()));
        scriptIsOwn_ = true;
        changing_->setStatus({});
    } catch (const InputError& error) {
        changing_->setStatus(QString::fromUtf8(error.what()), true);
    }
}

void VpipeWindow::saveScript() {
    QString path =
        QFileDialog::getSaveFileName(this, tr("Save the network script"),
                                     QStringLiteral("network-script.json"), tr("Network scripts (*.json)"));
    if (path.isEmpty()) return;
    try {
        writeFileAtomically(path.toStdString(), networkScriptJson(changing_->script()));
        changing_->setStatus({});
    } catch (const InputError& error) {
        changing_->setStatus(QString::fromUtf8(error.what()), true);
    }
}

void VpipeWindow::exportShown(const DrawingExport& what) {
    const QString failure = askAndWriteDrawing(what, this);
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, Theme::current().error);
    message_->setPalette(colours);
    message_->setText(failure);
    message_->setVisible(!failure.isEmpty());
}

}  // namespace stagecraft::app::vpipe
