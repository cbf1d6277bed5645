#include "app/play/play_window.h"

#include "app/actions/window_keys.h"
#include "views/common/counted_text.h"
#include "views/play/play_view.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/play_clock.h"

#include <QCloseEvent>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

namespace stagecraft::app {

namespace {
constexpr QSize usualSize(1240, 720);
}

PlayWindow::PlayWindow(Workspace& workspace, QWidget* parent)
    : QWidget(parent, Qt::Window), workspace_(workspace), view_(new PlayView) {
    setObjectName(QStringLiteral("playWindow"));
    layOut();
    resizeOnScreen(*this, usualSize);
    closeByKeys(*this);
    connect(&workspace_, &Workspace::plansChanged, this, &PlayWindow::bringUpToDate);
    connect(&workspace_, &Workspace::runChanged, this, [this](int id) {
        if (id == plan_) bringUpToDate();
    });
    connect(&workspace_, &Workspace::projectReplaced, this, &QWidget::close);
    connect(view_, &PlayView::presentingWanted, this, &PlayWindow::present);
    connect(view_, &PlayView::closeWanted, this, &QWidget::close);
    connect(view_, &PlayView::exportWanted, this, &PlayWindow::askAndExport);
    connect(view_, &PlayView::ready, this, [this] {
        if (const auto start = std::exchange(startS_, std::nullopt)) view_->clock().setTime(*start);
    });
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
}

void PlayWindow::lookAt(int planId, std::optional<double> startS) {
    plan_ = planId;
    startS_ = startS;
    bringUpToDate();
    if (view_->data() && startS_) view_->clock().setTime(*std::exchange(startS_, std::nullopt));
}

void PlayWindow::bringUpToDate() {
    const PlanItem* item = workspace_.plan(plan_);
    setWindowTitle(item ? tr("%1 · playing").arg(item->title()) : tr("Playing"));
    const std::shared_ptr<const PlanRun> run = item ? item->run : nullptr;
    // While a plan is worked out again its old playing stays.
    if ((item && !run) || run == view_->run()) return;
    view_->setRun(run);
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

QString PlayWindow::message() const { return message_->text(); }

void PlayWindow::askAndExport() {
    if (!view_->data() || isExporting()) return;
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
        choice.folder = workspace_.path().isEmpty() ? QDir::homePath() : QFileInfo(workspace_.path()).path();
    const QString name = QString::fromStdString(view_->run()->title()).replace('/', '-');
    const MovieFormat& format = *movieFormatNamed(choice.format);
    const QString end = format.suffix.isEmpty() ? QString() : '.' + format.suffix;
    QString path = QFileDialog::getSaveFileName(this, title, choice.folder + '/' + name + end, format.filter);
    if (!path.isEmpty() && QFileInfo(path).suffix().isEmpty()) path += end;
    return path;
}

void PlayWindow::exportTo(const QString& path, const MovieChoice& choice) {
    if (!view_->data()) return;
    MovieOptions options;
    options.size = choice.size;
    options.seconds = choice.seconds;
    options.framesPerSecond = choice.framesPerSecond;
    options.communication = view_->chart().scene().communication;
    if (choice.shownPart) options.timeRangeS = view_->visibleRange();
    message_->setText(tr("Drawing %1").arg(countedText(options.frameCount(), "frame")));
    progress_->setValue(0);
    for (QWidget* part : {progressRow_, static_cast<QWidget*>(progress_), cancel_}) part->show();
    movie_.start(
        [data = view_->data(), options, format = movieFormatNamed(choice.format),
         path](const JobContext& context) {
            MoviePainter painter(data, options);
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

}  // namespace stagecraft::app
