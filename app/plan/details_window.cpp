#include "app/plan/details_window.h"

#include "app/actions/window_keys.h"
#include "core/base/spelling.h"
#include "core/formats/input_error.h"
#include "core/formats/text_file.h"
#include "core/planners/details/plan_details.h"
#include "views/common/on_screen.h"
#include "views/common/text.h"
#include "views/compare/detail_view.h"

#include <QCloseEvent>
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QVBoxLayout>

namespace stagecraft::app::plan {

namespace {

constexpr int settledDetailsMs = 120;
constexpr QSize usualDetailsSize{980, 640};

}  // namespace

DetailsWindow::DetailsWindow(Workspace& workspace, QWidget* parent)
    : QWidget(parent, Qt::Window),
      workspace_(workspace),
      title_(new QLabel),
      age_(new QLabel),
      view_(new DetailView) {
    setObjectName(QStringLiteral("detailsWindow"));
    closeByKeys(*this);
    title_->setObjectName(QStringLiteral("detailsTitle"));
    title_->setContentsMargins(12, 8, 12, 4);
    title_->setWordWrap(true);
    age_->setContentsMargins(12, 0, 12, 4);
    age_->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(title_);
    layout->addWidget(age_);
    layout->addWidget(view_, 1);
    placeOnScreen(*this, usualDetailsSize);
    settled_.setSingleShot(true);
    settled_.setInterval(settledDetailsMs);
    connect(&settled_, &QTimer::timeout, this, &DetailsWindow::bringUpToDate);
    const auto changed = [this] {
        if (isVisible()) settled_.start();
    };
    connect(&workspace_, &Workspace::plansChanged, this, changed);
    connect(&workspace_, &Workspace::runsChanged, this, changed);
    connect(&workspace_, &Workspace::projectReplaced, this, changed);
    connect(view_, &DetailView::tableChosen, this, &DetailsWindow::makeTable);
    connect(view_, &DetailView::stopRequested, &job_, &Job::stop);
    connect(view_, &DetailView::exportRequested, this, &DetailsWindow::exportTable);
    connect(&job_, &Job::progressed, view_, &DetailView::setProgress);
    connect(&job_, &Job::ended, this, [this](bool stopped, const QString& failure) {
        if (stopped || !failure.isEmpty()) view_->setFailure(failure);
    });
}

void DetailsWindow::lookAt(int planId) {
    lookedAt_ = planId;
    if (isVisible()) settled_.start();
}

void DetailsWindow::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    settled_.start();
}

void DetailsWindow::closeEvent(QCloseEvent* event) {
    settled_.stop();
    if (job_.isRunning()) run_.reset();  // the next time it is worked out again
    job_.abandon();
    QWidget::closeEvent(event);
}

void DetailsWindow::bringUpToDate() {
    const PlanItem* item = workspace_.plan(lookedAt_);
    const std::shared_ptr<const PlanRun> run = item ? item->run : nullptr;
    showTitle();
    if (run && run == run_) return;
    run_ = run;
    job_.abandon();
    const bool underWay = item && item->isPlan() && !run;
    view_->setChoices(run ? detailsOf(*run) : std::vector<const PlanDetail*>(),
                      underWay ? tr("The plan is being simulated…")
                               : tr("Select a plan to see what its GPUs hold and, of %1, what was looked "
                                    "through for it.")
                                     .arg(qtText(joinNames(plansWithDetails()))));
    makeTable();
}

void DetailsWindow::showTitle() {
    const PlanItem* item = workspace_.plan(lookedAt_);
    const QString name = item ? item->title() : tr("no plan");
    setWindowTitle(tr("Details of %1 — %2").arg(name, workspace_.title()));
    title_->setText(item ? tr("<b>%1</b>: what its GPUs hold, and what was looked through on the way to it")
                               .arg(name.toHtmlEscaped())
                         : tr("<b>No plan is selected</b>"));
    const bool aged = item && item->run && workspace_.ageOf(*item) != PlanAge::current;
    age_->setText(tr("The plan is out of date. The tables are of the problem as it is now."));
    age_->setVisible(aged);
}

void DetailsWindow::makeTable() {
    const PlanDetail* detail = view_->chosen();
    job_.abandon();
    view_->setTable(nullptr);
    if (!run_ || !detail) return;
    view_->setProgress(0);
    job_.start(
        [run = run_, detail](const JobContext& context) {
            return std::make_shared<const DetailTable>(detail->make(*run, usualDetailRows, context));
        },
        [this](std::shared_ptr<const DetailTable> table) { view_->setTable(std::move(table)); });
}

void DetailsWindow::exportTable() {
    const PlanDetail* detail = view_->chosen();
    if (!detail) return;
    QString path = QFileDialog::getSaveFileName(
        this, tr("Export the table"),
        QDir::home().filePath(qtText(std::string(detail->id)) + QStringLiteral(".csv")),
        tr("CSV files (*.csv)"));
    if (path.isEmpty()) return;
    if (!path.endsWith(QLatin1String(".csv"))) path += QStringLiteral(".csv");
    try {
        writeFileAtomically(path.toStdString(), detailCsv(view_->listed()));
    } catch (const InputError& error) {
        view_->setFailure(QString::fromUtf8(error.what()));
    }
}

}  // namespace stagecraft::app::plan
