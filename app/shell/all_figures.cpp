#include "app/shell/all_figures.h"

#include "app/document/samples.h"
#include "app/shell/message_time.h"
#include "views/common/counted_text.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMainWindow>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <QStatusBar>

#include <algorithm>

namespace stagecraft::app {
namespace {

constexpr int progressSteps = 1000, progressWidth = 120;

/// That of the figure last exported; a table's is no figure's.
const FigureFormat& formatOf(const ExportChoice& choice) {
    const FigureFormat* format = figureFormatNamed(choice.format);
    return format ? *format : *figureFormatNamed(ExportChoice().format);
}

}  // namespace

AllFigures::AllFigures(Workspace& workspace, QMainWindow& window)
    : QWidget(&window),
      workspace_(workspace),
      window_(window),
      message_(new QLabel),
      progress_(new QProgressBar) {
    auto* cancel = new QPushButton(tr("Cancel"));
    cancel->setObjectName(QStringLiteral("cancelAllFigures"));
    cancel->setProperty("quiet", true);
    progress_->setRange(0, progressSteps);
    progress_->setTextVisible(false);
    progress_->setFixedWidth(progressWidth);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    for (QWidget* part :
         {static_cast<QWidget*>(message_), static_cast<QWidget*>(progress_), static_cast<QWidget*>(cancel)})
        row->addWidget(part);
    window.statusBar()->addPermanentWidget(this);
    hide();
    connect(cancel, &QPushButton::clicked, &job_, &Job::stop);
    connect(&job_, &Job::progressed, this,
            [this](double fraction) { progress_->setValue(qRound(progressSteps * fraction)); });
    connect(&job_, &Job::ended, this, &AllFigures::end);
}

bool AllFigures::canExport() const {
    return workspace_.isOpen() && !job_.isRunning() && !workspace_.problem().cluster.devices.empty();
}

std::vector<FiledFigure> AllFigures::figures() const {
    std::vector<NotedPlan> plans;
    for (const PlanItem& item : workspace_.plans())
        if (item.run) plans.push_back({item.run, item.notes});
    const auto problem = workspace_.sharedProblem();
    return projectFigures(plans, {problem, &problem->cluster});
}

QString AllFigures::folderToStartFrom(const ExportChoice& choice) const {
    if (!choice.folder.isEmpty() && QFileInfo(choice.folder).isDir()) return choice.folder;
    return proposedFolder(workspace_.path());
}

void AllFigures::askAndExport() {
    if (!canExport()) return;
    const ExportChoice choice = ExportChoice::load();
    const FigureFormat& format = formatOf(choice);
    const QString folder = QFileDialog::getExistingDirectory(
        &window_, tr("Export all figures as %1").arg(format.title), folderToStartFrom(choice));
    if (folder.isEmpty() || !mayReplace(filesOf(figures(), format, folder.toStdString()))) return;
    exportTo(folder, format, choice.style);
}

bool AllFigures::mayReplace(const std::vector<std::filesystem::path>& files) {
    const auto there = std::count_if(files.begin(), files.end(), [](const std::filesystem::path& file) {
        return QFileInfo::exists(QString::fromStdString(file.string()));
    });
    if (there == 0) return true;
    QMessageBox box(QMessageBox::NoIcon, tr("Replace files"),
                    tr("The folder has %1 of the same name.").arg(countedText(there, "file")),
                    QMessageBox::Cancel, &window_);
    const QAbstractButton* replace = box.addButton(tr("Replace"), QMessageBox::AcceptRole);
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    return box.clickedButton() == replace;
}

void AllFigures::exportTo(const QString& folder, const FigureFormat& format, const FigureStyle& style) {
    std::vector<FiledFigure> all = figures();
    folder_ = folder;
    total_ = static_cast<int>(all.size());
    written_ = 0;
    failures_.clear();
    message_->setText(tr("Drawing %1").arg(countedText(total_, "figure")));
    progress_->setValue(0);
    show();
    job_.start([this, all = std::move(all), &format, style, folder](const JobContext& context) {
        writeFigures(all, format, style, folder.toStdString(), context, [&](const FiledOutcome& outcome) {
            context.handOver([this, outcome] { take(outcome); });
        });
    });
    emit runningChanged();
}

void AllFigures::take(const FiledOutcome& outcome) {
    if (outcome.failure.empty())
        ++written_;
    else
        failures_ << QString::fromStdString(outcome.path.filename().string() + ": " + outcome.failure);
}

void AllFigures::end(bool stopped, const QString& failure) {
    hide();
    if (!failure.isEmpty()) failures_ << failure;
    const QString shownFolder = QDir::toNativeSeparators(folder_);
    QString said = tr("%1 exported to %2").arg(countedText(written_, "figure"), shownFolder);
    if (stopped)
        said =
            tr("Cancelled: %1 of %2").arg(written_).arg(total_) + ' ' + tr("exported to %1").arg(shownFolder);
    if (failures_.isEmpty())
        window_.statusBar()->showMessage(said, messageMs);
    else
        emit failed({folder_, {}, said + QStringLiteral("; ") + failures_.join(QStringLiteral("; "))});
    emit exported(folder_);
    emit runningChanged();
}

}  // namespace stagecraft::app
