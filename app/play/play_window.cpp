#include "app/play/play_window.h"

#include "app/actions/window_keys.h"
#include "app/document/samples.h"
#include "views/common/on_screen.h"
#include "views/common/text.h"
#include "views/play/play_picture.h"
#include "views/play/play_view.h"
#include "views/play/presenting.h"
#include "views/timeline/play_clock.h"

#include <QCloseEvent>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>

#include <algorithm>
#include <iterator>

namespace stagecraft::app::play {
namespace {

const QString presentGroup = QStringLiteral("present");

/// How a person last presented, and if never as it is made; kept from one time to the next.
PresentChoice loadPresentChoice() {
    QSettings settings;
    settings.beginGroup(presentGroup);
    PresentChoice choice;
    const int points = settings.value("typePoints", choice.typePoints).toInt();
    if (std::count(std::begin(presentedPoints), std::end(presentedPoints), points) > 0)
        choice.typePoints = points;
    choice.memory = settings.value("memory", choice.memory).toBool();
    choice.cluster = settings.value("cluster", choice.cluster).toBool();
    return choice;
}

void savePresentChoice(const PresentChoice& choice) {
    QSettings settings;
    settings.beginGroup(presentGroup);
    settings.setValue("typePoints", choice.typePoints);
    settings.setValue("memory", choice.memory);
    settings.setValue("cluster", choice.cluster);
}

constexpr QSize usualSize(1240, 720);

}  // namespace

PlayWindow::PlayWindow(Workspace& workspace, QWidget* parent)
    : QWidget(parent, Qt::Window), workspace_(workspace), view_(new PlayView) {
    setObjectName(QStringLiteral("playWindow"));
    layOut();
    placeOnScreen(*this, usualSize);
    closeByKeys(*this);
    connect(&workspace_, &Workspace::plansChanged, this, &PlayWindow::bringUpToDate);
    connect(&workspace_, &Workspace::runsChanged, this, &PlayWindow::bringUpToDate);
    connect(&workspace_, &Workspace::notesChanged, this, &PlayWindow::bringUpToDate);
    connect(&workspace_, &Workspace::projectReplaced, this, &QWidget::close);
    followView();
    followJob();
}

void PlayWindow::followView() {
    connect(view_, &PlayView::presentingWanted, this, &PlayWindow::present);
    connect(view_, &PlayView::closeWanted, this, &QWidget::close);
    connect(view_, &PlayView::exportWanted, this, &PlayWindow::askAndExport);
    connect(view_, &PlayView::presentChoiceChanged, this,
            [this] { savePresentChoice(view_->presentChoice()); });
    connect(view_, &PlayView::ready, this, [this] {
        if (const auto start = std::exchange(startS_, std::nullopt)) view_->clock().setTime(*start);
    });
}

void PlayWindow::followJob() {
    connect(&movie_, &Job::progressed, this,
            [this](double fraction) { progress_->setValue(qRound(1000 * fraction)); });
    connect(&movie_, &Job::ended, this, [this](bool stopped, const QString& failure) {
        progress_->hide();
        cancel_->hide();
        if (stopped) message_->setText(tr("Stopped; nothing was written."));
        if (!failure.isEmpty()) message_->setText(failure);
    });
}

void PlayWindow::layOut() {
    progressRow_ = new QWidget;
    auto* row = new QHBoxLayout(progressRow_);
    row->setContentsMargins(12, 4, 8, 4);
    message_ = new QLabel;
    message_->setObjectName(QStringLiteral("movieMessage"));
    message_->setWordWrap(true);
    message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    progress_ = new QProgressBar;
    progress_->setRange(0, 1000);
    progress_->setTextVisible(false);
    auto* cancel = new QPushButton(tr("Cancel"));
    cancel->setObjectName(QStringLiteral("cancelMovie"));
    connect(cancel, &QPushButton::clicked, &movie_, &Job::stop);
    cancel_ = cancel;
    row->addWidget(message_, 1);
    row->addWidget(progress_, 1);
    row->addWidget(cancel_);
    progressRow_->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(view_, 1);
    column->addWidget(progressRow_);
    setFocusProxy(view_);
    plansMenu_ = new QMenu(this);
    plansMenu_->setObjectName(QStringLiteral("playedPlansMenu"));
    connect(plansMenu_, &QMenu::aboutToShow, this, &PlayWindow::fillPlansMenu);
    view_->setPlansMenu(plansMenu_);
    view_->setPresentChoice(loadPresentChoice());
}

void PlayWindow::lookAt(std::vector<int> planIds, std::optional<double> startS) {
    plans_ = std::move(planIds);
    startS_ = startS;
    bringUpToDate();
    if (!view_->plans().empty() && startS_) view_->clock().setTime(*std::exchange(startS_, std::nullopt));
}

void PlayWindow::bringUpToDate() {
    std::erase_if(plans_, [this](int id) { return !workspace_.plan(id); });
    QStringList names;
    std::vector<std::shared_ptr<const PlanRun>> runs;
    for (const int id : plans_) {
        const PlanItem& item = *workspace_.plan(id);
        names << item.title();
        // While a plan is worked out again its old playing stays.
        if (!item.run) return;
        runs.push_back(item.run);
    }
    setWindowTitle(names.isEmpty() ? tr("Playing")
                                   : tr("%1 · playing").arg(names.join(QStringLiteral(", "))));
    if (runs != view_->runs()) view_->setRuns(std::move(runs));
    view_->setNotes(plans_.empty() ? std::vector<ChartNote>{} : workspace_.plan(plans_.front())->notes);
}

void PlayWindow::fillPlansMenu() {
    plansMenu_->clear();
    const bool full = plans_.size() >= static_cast<std::size_t>(mostPlayedPlans);
    for (const PlanItem& item : workspace_.plans()) {
        if (!item.run || !item.run->ok()) continue;
        const bool played = std::count(plans_.begin(), plans_.end(), item.id) > 0;
        QAction* action = plansMenu_->addAction(item.title());
        action->setCheckable(true);
        action->setChecked(played);
        // One of them stays.
        action->setEnabled(played ? plans_.size() > 1 : !full);
        connect(action, &QAction::toggled, this, [this, id = item.id](bool on) { setPlayed(id, on); });
    }
}

void PlayWindow::setPlayed(int planId, bool on) {
    std::vector<int> wanted = plans_;
    std::erase(wanted, planId);
    if (on) wanted.push_back(planId);
    lookAt(std::move(wanted), view_->clock().timeS());
}

void PlayWindow::present(bool on) {
    if (on == view_->isPresenting()) return;
    if (on) openedToPresent_ = !isVisible();
    view_->setPresenting(on);
    progressRow_->setVisible(!on && isExporting());
    if (on) {
        plainSize_ = size();
        return showFullScreen();
    }
    showNormal();
    resize(plainSize_);
    if (openedToPresent_) close();
}

void PlayWindow::bringToFront() {
    show();
    raise();
    activateWindow();
}

QString PlayWindow::message() const { return message_->text(); }

void PlayWindow::askAndExport() {
    if (view_->plans().empty() || isExporting()) return;
    MovieDialog dialog(MovieChoice::load(), this);
    MovieChoice choice;
    QString path;
    // To cancel the file leads back to the question before.
    while (path.isEmpty()) {
        if (dialog.exec() != QDialog::Accepted) return;
        choice = dialog.choice();
        path = askWhere(choice, dialog.windowTitle());
    }
    choice.folder = QFileInfo(path).absolutePath();
    choice.save();
    exportTo(path, choice);
}

QString PlayWindow::askWhere(MovieChoice choice, const QString& title) {
    if (choice.folder.isEmpty() || !QFileInfo(choice.folder).isDir())
        choice.folder = proposedFolder(workspace_.path());
    const QString name = QString::fromStdString(view_->runs().front()->title()).replace('/', '-');
    const MovieFormat& format = *movieFormatNamed(choice.format);
    const QString end = format.suffix.isEmpty() ? QString() : '.' + format.suffix;
    QString path = QFileDialog::getSaveFileName(this, title, choice.folder + '/' + name + end, format.filter);
    if (!path.isEmpty() && QFileInfo(path).suffix().isEmpty()) path += end;
    return path;
}

void PlayWindow::exportTo(const QString& path, const MovieChoice& choice) {
    if (view_->plans().empty()) return;
    MovieOptions options;
    options.size = choice.size;
    options.seconds = choice.seconds;
    options.framesPerSecond = choice.framesPerSecond;
    options.style = view_->pictureStyle();
    options.typePoints = view_->presentChoice().typePoints;
    if (choice.shownPart) options.timeRangeS = view_->visibleRange();
    message_->setText(tr("Drawing %1").arg(countedText(options.frameCount(), "frame")));
    progress_->setValue(0);
    for (QWidget* part : {progressRow_, static_cast<QWidget*>(progress_), cancel_}) part->show();
    movie_.start(
        [plans = view_->plans(), options, format = movieFormatNamed(choice.format),
         path](const JobContext& context) {
            MoviePainter painter(plans, options);
            format->write(painter, path.toStdString(), context);
        },
        [this, path] {
            message_->setText(tr("Written: %1").arg(QDir::toNativeSeparators(path)));
            emit exported(path);
        });
}

void PlayWindow::closeEvent(QCloseEvent* event) {
    view_->clock().setRunning(false);
    view_->setPresenting(false);
    QWidget::closeEvent(event);
}

}  // namespace stagecraft::app::play
