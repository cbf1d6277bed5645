#include "app/shell/all_figures.h"

#include "app/document/samples.h"
#include "app/shell/window_parts.h"
#include "views/common/text.h"
#include "views/common/widgets.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMainWindow>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QStatusBar>

#include <algorithm>

namespace stagecraft::app::shell {
namespace {

constexpr int progressWidth = 120;

/// That of the figure last exported; a table's is no figure's.
const FigureFormat& formatOf(const ExportChoice& choice) {
    const FigureFormat* format = figureFormatNamed(choice.format);
    return format ? *format : *figureFormatNamed(ExportChoice().format);
}

/// Under it the folder of a project's kept figures is remembered.
QString keptFolderKey(const QString& project) {
    const QByteArray name = QCryptographicHash::hash(project.toUtf8(), QCryptographicHash::Sha1).toHex();
    return QStringLiteral("keptFigures/") + QString::fromLatin1(name.left(16));
}

}  // namespace

AllFigures::AllFigures(Workspace& workspace, std::function<std::vector<NotedRecording>()> recordings,
                       QMainWindow& window)
    : QWidget(&window),
      workspace_(workspace),
      recordings_(std::move(recordings)),
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
    return workspace_.isOpen() && !job_.isRunning() &&
           (!workspace_.problem().cluster.devices.empty() || !workspace_.recordings().empty());
}

DrawnProject AllFigures::drawn() const {
    DrawnProject project;
    for (const PlanItem& item : workspace_.plans())
        if (item.run) project.plans.push_back({item.run, item.notes});
    const auto problem = workspace_.sharedProblem();
    project.cluster = {problem, &problem->cluster};
    project.recordings = recordings_();
    return project;
}

std::vector<FiledFigure> AllFigures::figures(Which which) const {
    return which == Which::kept ? keptFigures(workspace_.figures(), drawn())
                                : projectFigures(workspace_.figures(), drawn());
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
    if (folder.isEmpty() || !mayReplace(filesOf(figures(Which::all), format, folder.toStdString()))) return;
    exportTo(Which::all, folder, format, choice.style);
}

void AllFigures::remakeKept() {
    if (!canExportKept()) return;
    const ExportChoice choice = ExportChoice::load();
    const FigureFormat& format = formatOf(choice);
    QSettings settings;
    const QString key = keptFolderKey(workspace_.path());
    QString folder = settings.value(key).toString();
    if (folder.isEmpty() || !QFileInfo(folder).isDir())
        folder = QFileDialog::getExistingDirectory(&window_, tr("Kept figures as %1").arg(format.title),
                                                   folderToStartFrom(choice));
    if (folder.isEmpty()) return;
    if (!workspace_.path().isEmpty()) settings.setValue(key, folder);
    exportTo(Which::kept, folder, format, choice.style);
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

void AllFigures::exportTo(Which which, const QString& folder, const FigureFormat& format,
                          const FigureStyle& style) {
    std::vector<FiledFigure> all = figures(which);
    folder_ = folder;
    total_ = static_cast<int>(all.size());
    outcomes_.clear();
    message_->setText(tr("Drawing %1").arg(countedText(total_, "figure")));
    progress_->setValue(0);
    show();
    job_.start([this, all = std::move(all), &format, style, folder](const JobContext& context) {
        writeFigures(all, format, style, folder.toStdString(), context, [&](const FiledOutcome& outcome) {
            context.handOver([this, outcome] { outcomes_.push_back(outcome); });
        });
    });
    emit runningChanged();
}

void AllFigures::end(bool stopped, const QString& failure) {
    hide();
    QStringList failures;
    for (const FiledOutcome& outcome : outcomes_)
        if (!outcome.failure.empty())
            failures << QString::fromStdString(outcome.path.filename().string() + ": " + outcome.failure);
    const auto written = static_cast<qsizetype>(outcomes_.size()) - failures.size();
    if (!failure.isEmpty()) failures << failure;
    const QString shownFolder = QDir::toNativeSeparators(folder_);
    QString said = tr("%1 exported to %2").arg(countedText(written, "figure"), shownFolder);
    if (stopped)
        said =
            tr("Cancelled: %1 of %2").arg(written).arg(total_) + ' ' + tr("exported to %1").arg(shownFolder);
    if (const std::string changes = changesText(outcomes_); !changes.empty())
        said += QStringLiteral(": ") + QString::fromStdString(changes);
    if (failures.isEmpty())
        window_.statusBar()->showMessage(said, messageMs);
    else
        emit failed({folder_, {}, said + QStringLiteral("; ") + failures.join(QStringLiteral("; "))});
    emit exported(folder_);
    emit runningChanged();
}

}  // namespace stagecraft::app::shell
