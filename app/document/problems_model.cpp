#include "app/document/problems_model.h"

#include "app/document/run_summary.h"
#include "app/document/workspace.h"
#include "core/analysis/memory_lack.h"
#include "core/base/units.h"
#include "core/cost/sample_shares.h"
#include "core/generation/gpu_speed.h"
#include "core/model/indivisible.h"
#include "core/model/measured_gpus.h"
#include "core/planners/applicability.h"
#include "core/runs/cautions.h"
#include "core/runs/standing.h"
#include "views/common/theme.h"

#include <QFileInfo>

#include <set>

namespace stagecraft::app::document {
namespace {

QString iconOf(Severity severity) {
    switch (severity) {
        case Severity::note:
            return QStringLiteral("info");
        case Severity::warning:
            return QStringLiteral("warning");
        case Severity::error:
            break;
    }
    return QStringLiteral("error");
}

JumpTarget::Place placeOfUnplannable(const Problem& problem) {
    if (problem.profile.layers.empty()) return JumpTarget::Place::profile;
    const bool mixesFullBytes =
        problem.setup.precision != StatePrecision::uniform && problem.profile.elementBytes != 2;
    return problem.setup.microbatches < 1 || (mixesFullBytes && !problem.cluster.devices.empty())
               ? JumpTarget::Place::setup
               : JumpTarget::Place::cluster;
}

void addPlace(ClusterSelection& selection, const ClusterMistake& mistake) {
    std::vector<int>& places = mistake.place == ClusterMistake::Place::device       ? selection.devices
                               : mistake.place == ClusterMistake::Place::switchNode ? selection.switches
                                                                                    : selection.links;
    places.push_back(mistake.index);
}

ClusterSelection placeOf(const ClusterMistake& mistake) {
    ClusterSelection selection;
    addPlace(selection, mistake);
    return selection;
}

}  // namespace

std::vector<ProblemRow> problemsOf(const PlanRun& run, int planId) {
    std::vector<ProblemRow> rows;
    const QString title = QString::fromStdString(run.title());
    const JumpTarget plan{JumpTarget::Place::plan, planId, noBlock};
    if (!run.ok()) {
        const QString what = run.result.status == PlanStatus::infeasible ? QObject::tr("no plan: %1")
                                                                         : QObject::tr("failed: %1");
        const bool hasBarrier = run.costs && run.costs->problem().setup.mode == TrainingMode::synchronous;
        ProblemFix fix;
        if (hasBarrier && needsAsynchronousMode(run.result.plan))
            fix = {QObject::tr("Train asynchronously"), &trainAsynchronously};
        rows.push_back(
            {Severity::error, title, what.arg(QString::fromStdString(run.result.reason)), plan, fix});
        return rows;
    }
    // Of each rule the first few: what breaks one often breaks it everywhere.
    constexpr std::size_t most = 3;
    std::map<Rule, std::size_t> broken, shown;
    for (const Violation& violation : run.evaluation->violations) ++broken[violation.rule];
    for (const Violation& violation : run.evaluation->violations) {
        const std::size_t number = ++shown[violation.rule],
                          more = broken[violation.rule] - std::min(number, broken[violation.rule]);
        if (number > most) continue;
        QString text = QStringLiteral("%1: %2").arg(QLatin1String(ruleName(violation.rule)),
                                                    QString::fromStdString(violation.message));
        if (number == most && more > 0)
            text += QObject::tr("; and %1 more of this kind").arg(QString::fromStdString(formatCount(more)));
        rows.push_back({Severity::error, title, text, {JumpTarget::Place::plan, planId, violation.block}});
    }
    const DeviceList& devices = run.costs->problem().cluster.devices;
    for (const std::string& lack : describeExcesses(run.evaluation->metrics.excesses, devices))
        rows.push_back({Severity::warning, title, QString::fromStdString(lack), plan});
    for (const std::string& sentence : cautionsOn(run))
        rows.push_back({Severity::warning, title, QString::fromStdString(sentence), plan});
    for (const std::string& sentence : unevenShares(*run.costs, run.result.plan))
        rows.push_back({Severity::note, title, QString::fromStdString(sentence), plan});
    for (const Guarantee& guarantee : run.result.guarantees) {
        const QString excess = excessOver(guarantee, run);
        if (excess.isEmpty()) continue;
        const QString verdict = guarantee.holds ? QObject::tr("though it is proven for this problem")
                                                : QObject::tr("which does not hold for this problem");
        rows.push_back(
            {guarantee.holds ? Severity::error : Severity::note, title,
             QStringLiteral("%1, %2: %3").arg(excess, verdict, QString::fromStdString(guarantee.because)),
             plan});
    }
    return rows;
}

ProblemRow problemOf(const OpenFailure& failure) {
    return {Severity::error, QFileInfo(failure.file).fileName(), failure.message, {}};
}

ProblemsModel::ProblemsModel(const Workspace& workspace, QObject* parent)
    : QAbstractTableModel(parent), workspace_(workspace) {
    connect(&workspace, &Workspace::projectReplaced, this, &ProblemsModel::refresh);
    connect(&workspace, &Workspace::problemChanged, this, &ProblemsModel::refresh);
    connect(&workspace, &Workspace::plansChanged, this, &ProblemsModel::refresh);
    connect(&workspace, &Workspace::runsChanged, this, &ProblemsModel::refresh);
}

void ProblemsModel::addInput(const ProblemRow& row) {
    inputs_.push_back(row);
    refresh();
}

void ProblemsModel::clearInputs() {
    inputs_.clear();
    refresh();
}

void ProblemsModel::setPrograms(std::vector<ProblemRow> rows) {
    programs_ = std::move(rows);
    refresh();
}

void ProblemsModel::addMistakes() {
    if (searched_ != workspace_.sharedProblem()) {
        const auto before = std::exchange(searched_, workspace_.sharedProblem());
        const Cluster& cluster = searched_->cluster;
        if (!before || !mistakes_.empty() || !isStillWithoutMistakes(cluster, before->cluster))
            mistakes_ = clusterMistakes(cluster);
        whyUnplannable_ = whyUnplannable(*searched_);
        whyNoGroups_ = whyUnplannable_ ? std::nullopt : whyNoGroups(*searched_);
        oddities_ = profileOddities(searched_->profile);
        speedGaps_ = speedGaps(searched_->profile, searched_->cluster);
    }
    // All of a kind are selected by the row that counts them.
    constexpr std::size_t most = 8;
    std::map<ClusterMistake::Kind, std::vector<const ClusterMistake*>> kinds;
    for (const ClusterMistake& mistake : mistakes_) kinds[mistake.kind].push_back(&mistake);
    for (const auto& [kind, mistakes] : kinds) {
        const std::size_t single = mistakes.size() > most ? 1 : mistakes.size();
        for (std::size_t i = 0; i < single; ++i)
            rows_.push_back({Severity::error,
                             tr("Cluster"),
                             QString::fromStdString(mistakes[i]->text),
                             {JumpTarget::Place::cluster, 0, noBlock, placeOf(*mistakes[i])}});
        if (single == mistakes.size()) continue;
        ProblemRow& row = rows_.back();
        row.text += tr("; and %1 more of this kind")
                        .arg(QString::fromStdString(formatCount(mistakes.size() - single)));
        for (std::size_t i = single; i < mistakes.size(); ++i) addPlace(row.jump.selection, *mistakes[i]);
    }
}

void ProblemsModel::addOddities() {
    // Of each kind a few: a network with hundreds of nodes that take no time has one oddity and not hundreds.
    constexpr int most = 3;
    std::map<ProfileOddity::Kind, int> count;
    for (const ProfileOddity& oddity : oddities_) ++count[oddity.kind];
    std::map<ProfileOddity::Kind, int> shown;
    for (const ProfileOddity& oddity : oddities_) {
        const int number = ++shown[oddity.kind];
        const int more = count[oddity.kind] - most;
        if (number > most) continue;
        QString text = QString::fromStdString(oddity.text);
        if (number == most && more > 0)
            text += tr("; %n more of this kind are marked in the table", nullptr, more);
        JumpTarget jump{JumpTarget::Place::profile};
        jump.layer = oddity.layer;
        rows_.push_back({Severity::note, tr("Profile"), text, jump});
    }
}

/// Speeds that nobody set are those of the profile's own GPU, and that is wrong for any other.
void ProblemsModel::addSpeedGaps() {
    if (speedGaps_.empty()) return;
    QString text = QString::fromStdString(describeSpeedGaps(workspace_.problem().profile, speedGaps_));
    text[0] = text[0].toUpper();
    ProblemRow row{Severity::warning, tr("Cluster"), text, {JumpTarget::Place::cluster}};
    for (int device = 0; device < workspace_.problem().cluster.deviceCount(); ++device) {
        const Device& each = workspace_.problem().cluster.devices[static_cast<std::size_t>(device)];
        const bool isSlow =
            each.speed == 1 && std::any_of(speedGaps_.begin(), speedGaps_.end(),
                                           [&](const auto& gap) { return gap.gpu == each.gpu; });
        if (isSlow) row.jump.selection.devices.push_back(device);
    }
    if (haveSpeeds(speedGaps_))
        row.fix = {tr("Set speeds"), [gaps = speedGaps_](Workspace& workspace) {
                       workspace.editCluster(withSpeeds(workspace.problem().cluster, gaps),
                                             tr("Set speeds by type of GPU"));
                   }};
    rows_.push_back(std::move(row));
}

/// A speed that a person gave, and that nothing goes by.
void ProblemsModel::addUnusedSpeeds() {
    const Problem& problem = workspace_.problem();
    const GpuKinds kinds = gpuKinds(problem.profile, problem.cluster);
    ProblemRow row{Severity::note, tr("Cluster"), {}, {JumpTarget::Place::cluster}};
    std::set<std::string> types;
    for (int device = 0; device < static_cast<int>(kinds.kindOf.size()); ++device) {
        const int kind = kinds.kindOf[static_cast<std::size_t>(device)];
        if (kind == 0 || problem.cluster.devices[static_cast<std::size_t>(device)].speed == 1) continue;
        types.insert(kinds.gpus[static_cast<std::size_t>(kind - 1)]);
        row.jump.selection.devices.push_back(device);
    }
    if (types.empty()) return;
    QStringList names;
    for (const std::string& type : types) names << QString::fromStdString(type);
    row.text = tr("The profile has times that were measured on %1: the speeds of these GPUs are not used.")
                   .arg(names.join(QStringLiteral(", ")));
    rows_.push_back(std::move(row));
}

/// In 2 bytes no optimizer keeps what it adds up.
void ProblemsModel::addPrecision() {
    const Problem& problem = workspace_.problem();
    if (problem.profile.elementBytes != 2 || problem.setup.precision != StatePrecision::uniform) return;
    ProblemRow row{
        Severity::warning,
        tr("Setup"),
        tr("The profile is in 2-byte elements, and gradients and the optimizer's state are counted in "
           "them too. Training keeps those in 4 bytes: mixed precision."),
        {JumpTarget::Place::setup}};
    row.fix = {tr("Mixed precision"),
               [](Workspace& workspace) { setPrecision(workspace, StatePrecision::mixed); }};
    rows_.push_back(std::move(row));
}

void ProblemsModel::addUnplannable() {
    const Problem& problem = workspace_.problem();
    if (whyNoGroups_)
        rows_.push_back({Severity::error,
                         workspace_.title(),
                         QString::fromStdString(*whyNoGroups_),
                         {JumpTarget::Place::setup}});
    const JumpTarget::Place place = placeOfUnplannable(problem);
    // What is wrong with the cluster is said above, place by place.
    if (!whyUnplannable_ || (!mistakes_.empty() && place == JumpTarget::Place::cluster)) return;
    // What is not there yet is no mistake, and the empty page of a new project says what to do.
    const bool noLayers = problem.profile.layers.empty(), noDevices = problem.cluster.devices.empty();
    const bool beginning = (noLayers || noDevices) && workspace_.plans().empty();
    if (beginning && noLayers && noDevices) return;
    rows_.push_back({beginning ? Severity::note : Severity::error,
                     workspace_.title(),
                     QString::fromStdString(*whyUnplannable_),
                     {place}});
    if (place == JumpTarget::Place::setup && problem.setup.precision != StatePrecision::uniform)
        rows_.back().fix = {tr("Uniform precision"),
                            [](Workspace& workspace) { setPrecision(workspace, StatePrecision::uniform); }};
}

void ProblemsModel::addAges() {
    QStringList outOfDate, foreign;
    JumpTarget jump{JumpTarget::Place::plan};
    for (const PlanItem& item : workspace_.plans()) {
        const PlanAge age = workspace_.ageOf(item);
        if (age == PlanAge::current) continue;
        if (outOfDate.isEmpty() && foreign.isEmpty()) jump.plan = item.id;
        (age == PlanAge::otherProfile ? foreign : outOfDate) << item.title();
    }
    const auto add = [&](Severity severity, const QStringList& plans, const QString& text) {
        if (!plans.isEmpty())
            rows_.push_back({severity, tr("Plans"), text.arg(plans.join(QStringLiteral(", "))), jump});
    };
    add(Severity::warning, foreign, tr("of another profile, whose layers are not these: %1"));
    add(Severity::note, outOfDate, tr("out of date, made for another problem and not compared: %1"));
}

namespace {

/// What a fix does follows from the problem; all else of a row can be seen.
bool saySame(const std::vector<ProblemRow>& some, const std::vector<ProblemRow>& others) {
    return std::equal(some.begin(), some.end(), others.begin(), others.end(),
                      [](const ProblemRow& a, const ProblemRow& b) {
                          return a.severity == b.severity && a.where == b.where && a.text == b.text &&
                                 a.jump == b.jump && a.fix.text == b.fix.text;
                      });
}

}  // namespace

void ProblemsModel::refresh() {
    std::vector<ProblemRow> before = std::move(rows_);
    collectRows();
    const bool sameProblem = std::exchange(shown_, workspace_.sharedProblem()) == workspace_.sharedProblem();
    if (saySame(before, rows_) && (sameProblem || !hasFixes())) return;
    rows_.swap(before);
    beginResetModel();
    rows_.swap(before);
    endResetModel();
}

void ProblemsModel::collectRows() {
    rows_ = inputs_;
    rows_.insert(rows_.end(), programs_.begin(), programs_.end());
    if (workspace_.isOpen()) {
        addMistakes();
        addSpeedGaps();
        addUnusedSpeeds();
        addPrecision();
        addOddities();
        addUnplannable();
        if (!whyUnplannable_) addAges();
        for (const PlanItem& item : workspace_.plans()) {
            if (!item.run) continue;
            // What a planner said of another problem is no fault of this one.
            if (!item.isPlan() && !isCompared(*item.run)) continue;
            const std::vector<ProblemRow> found = problemsOf(*item.run, item.id);
            rows_.insert(rows_.end(), found.begin(), found.end());
        }
    }
    sortRows();
}

/// The worst first, and of those the newest.
void ProblemsModel::sortRows() {
    const auto keyOf = [](const ProblemRow& row) { return std::pair(row.where, row.text); };
    ++round_;
    decltype(since_) since;
    for (const ProblemRow& row : rows_) {
        const auto before = since_.find(keyOf(row));
        since.insert({keyOf(row), before == since_.end() ? round_ : before->second});
    }
    since_ = std::move(since);
    std::stable_sort(rows_.begin(), rows_.end(), [&](const ProblemRow& a, const ProblemRow& b) {
        if (a.severity != b.severity) return a.severity > b.severity;
        return since_.at(keyOf(a)) > since_.at(keyOf(b));
    });
}

int ProblemsModel::errorCount() const {
    return static_cast<int>(std::count_if(
        rows_.begin(), rows_.end(), [](const ProblemRow& row) { return row.severity == Severity::error; }));
}

int ProblemsModel::faultCount() const {
    return static_cast<int>(std::count_if(
        rows_.begin(), rows_.end(), [](const ProblemRow& row) { return row.severity != Severity::note; }));
}

bool ProblemsModel::hasFixes() const {
    return std::any_of(rows_.begin(), rows_.end(), [](const ProblemRow& row) { return bool(row.fix); });
}

int ProblemsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int ProblemsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columns; }

QVariant ProblemsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const ProblemRow& problem = row(index.row());
    // The button is in the place of its text.
    if (index.column() == fixColumn) return role == Qt::AccessibleTextRole ? problem.fix.text : QVariant();
    if (role == Qt::DisplayRole) return index.column() == whereColumn ? problem.where : problem.text;
    // As rich text a long line wraps.
    if (role == Qt::ToolTipRole) return QStringLiteral("<p>%1</p>").arg(problem.text.toHtmlEscaped());
    if (role == Qt::DecorationRole && index.column() == whereColumn)
        return lineIcon(iconOf(problem.severity));
    if (role == Qt::ForegroundRole && index.column() == whereColumn) {
        const Theme& theme = Theme::current();
        if (problem.severity != Severity::note)
            return problem.severity == Severity::error ? theme.error : theme.warning;
    }
    return {};
}

QVariant ProblemsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    if (section == fixColumn) return QString();
    return section == whereColumn ? tr("Where") : tr("What");
}

}  // namespace stagecraft::app::document
