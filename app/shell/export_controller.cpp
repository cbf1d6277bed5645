#include "app/shell/export_controller.h"

#include "app/document/file_names.h"
#include "app/document/samples.h"
#include "app/figures/figure_dialog.h"
#include "app/figures/plan_tables.h"
#include "app/recording/recording_page.h"
#include "app/shell/window_parts.h"
#include "views/common/job.h"

#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QStatusBar>

namespace stagecraft::app::shell {
namespace {

const QString profileSuffix = QStringLiteral(".profile.json");

}  // namespace

ExportController::ExportController(Workspace& workspace, Workbench& workbench, QMainWindow& window)
    : QObject(&window),
      workspace_(workspace),
      workbench_(workbench),
      window_(window),
      all_(new AllFigures(
          workspace, [&workbench] { return workbench.recording()->drawn(); }, window)) {
    connect(all_, &AllFigures::exported, this, &ExportController::exported);
    connect(all_, &AllFigures::failed, this, &ExportController::failed);
}

bool ExportController::canExport() const {
    return workspace_.isOpen() && workbench_.currentPage()->hasFigures();
}

QString ExportController::folder() const { return proposedFolder(workspace_.path()); }

std::vector<FigureSource> ExportController::sourcesInView() const {
    return workbench_.currentPage()->figures(workbench_.planInView());
}

void ExportController::exportInView() {
    std::vector<FigureSource> sources = sourcesInView();
    if (sources.empty()) return;
    Page& page = *workbench_.currentPage();
    FigureDialog dialog(std::move(sources), page.partInView(), ExportChoice::load(), &window_);
    if (const QString remark = page.figuresRemark(); !remark.isEmpty()) dialog.setRemark(remark);
    dialog.offerKeeping(
        {}, [this](const QString& name, const StyledFigure& figure) { return keep(name, figure); });
    const QString path = dialog.askForFile(folder(), [this, &dialog, &page] {
        QStringList parts{workspace_.title()};
        if (const QString subject = page.figuresSubject(); !subject.isEmpty()) parts << subject;
        if (!dialog.source().fileName.isEmpty()) parts << dialog.source().fileName;
        return fileNameOf(parts.join('-'));
    });
    if (!path.isEmpty()) exportTo(path, dialog.choice());
    const PlanItem* item = workbench_.planInView();
    if (dialog.editedNotes() && !page.takeNotes(*dialog.editedNotes(), tr("Mark figure")) && item)
        workspace_.setNotes(item->id, *dialog.editedNotes(), tr("Mark figure"));
}

QString ExportController::keep(const QString& name, const StyledFigure& figure) {
    const KeptFigure kept = keptFigure(name.toStdString(), figure, all_->drawn());
    const std::vector<KeptFigure>& before = workspace_.figures();
    const bool replaces = std::any_of(before.begin(), before.end(),
                                      [&kept](const KeptFigure& each) { return each.name == kept.name; });
    workspace_.setFigures(withFigure(before, kept), tr("Keep figure %1").arg(name));
    return replaces
               ? tr("Kept in place of the earlier '%1'.").arg(name)
               : tr("Kept as '%1': it is listed under Figures, and \"Remake kept figures\" in the File menu "
                    "draws it again.")
                     .arg(name);
}

void ExportController::openKept(const QString& name) {
    const std::vector<KeptFigure>& figures = workspace_.figures();
    const auto kept = std::find_if(figures.begin(), figures.end(), [&name](const KeptFigure& each) {
        return QString::fromStdString(each.name) == name;
    });
    if (kept == figures.end()) return;
    StyledFigure figure;
    try {
        figure = findKept(*kept, all_->drawn());
    } catch (const std::exception& reason) {
        emit failed(
            {{}, {}, tr("The figure %1 cannot be drawn: %2").arg(name, QString::fromUtf8(reason.what()))});
        return;
    }
    ExportChoice choice = ExportChoice::load();
    const ExportChoice usual = choice;
    choice.style = figure.style;
    choice.part = figure.part;
    if (!figure.format.isEmpty()) choice.format = figure.format;
    FigureDialog dialog({figure.source}, figure.part, choice, &window_);
    dialog.offerKeeping(name,
                        [this](const QString& wanted, const StyledFigure& now) { return keep(wanted, now); });
    const QString path = dialog.askForFile(folder(), [&name] { return fileNameOf(name); });
    const ExportChoice made = dialog.choice();
    ExportChoice next = usual;
    if (made.format != figure.format) next.format = made.format;
    next.folder = made.folder;
    next.save();  // the style stays this figure's own
    if (path.isEmpty()) return;
    writeAway(path, [source = figure.source, made, path] {
        writeSource(source, made.format, made.style, *made.part, path.toStdString());
    });
}

void ExportController::exportTo(const QString& path, const ExportChoice& choice) {
    const std::vector<FigureSource> sources = sourcesInView();
    if (sources.empty()) return;
    const auto chosen = std::find_if(sources.begin(), sources.end(),
                                     [&](const FigureSource& each) { return each.id == choice.figure; });
    const FigureSource source = chosen == sources.end() ? sources.front() : *chosen;
    const FigurePart part =
        choice.part ? *choice.part : workbench_.currentPage()->partInView().value_or(FigurePart{});
    writeAway(path, [source, choice, part, path] {
        writeSource(source, choice.format, choice.style, part, path.toStdString());
    });
}

void ExportController::writeAway(const QString& path, std::function<void()> write) {
    Job* job = Job::once(this);
    connect(job, &Job::ended, this, [this, path](bool, const QString& failure) {
        if (failure.isEmpty())
            window_.statusBar()->showMessage(tr("Exported %1").arg(QDir::toNativeSeparators(path)),
                                             messageMs);
        else
            emit failed({path, {}, failure});
        emit exported(path);
    });
    job->start(std::move(write));
}

bool ExportController::canExportForEngine() const {
    const PlanItem* item = workspace_.isOpen() ? workbench_.planInView() : nullptr;
    return item && item->run && item->run->ok();
}

void ExportController::askAndExportForEngine(const QString& format) {
    if (!canExportForEngine()) return;
    const PlanItem& item = *workbench_.planInView();
    for (const FigureTable& table : planTables(item.run)) {
        if (table.id != format) continue;
        const QString name = fileNameOf(workspace_.title() + '-' + QString::fromStdString(item.run->title()));
        const QString path =
            QFileDialog::getSaveFileName(&window_, tr("Export for an engine: %1").arg(table.title),
                                         folder() + '/' + name + '.' + table.suffix, tr("All files (*)"));
        if (!path.isEmpty()) exportForEngine(format, path);
        return;
    }
}

void ExportController::exportForEngine(const QString& format, const QString& path) {
    if (!canExportForEngine()) return;
    for (const FigureTable& table : planTables(workbench_.planInView()->run))
        if (table.id == format)
            writeAway(path, [write = table.write, path] { write({}, path.toStdString()); });
}

void ExportController::copyPicture() {
    QGuiApplication::clipboard()->setImage(workbench_.currentPage()->picture());
    window_.statusBar()->showMessage(tr("Copied as a picture"), messageMs);
}

void ExportController::saveProfile() {
    const QString name = fileNameOf(QString::fromStdString(workspace_.problem().profile.name));
    QString path = QFileDialog::getSaveFileName(
        &window_, tr("Save profile"), folder() + '/' + (name.isEmpty() ? tr("layers") : name) + profileSuffix,
        tr("Layer profiles (*%1)").arg(profileSuffix));
    if (path.isEmpty()) return;
    if (!path.endsWith(QLatin1String(".json"))) path += profileSuffix;
    writeAway(path, [path, profile = workspace_.sharedProblem()] {
        writeFileAtomically(path.toStdString(), writeProfile(profile->profile));
    });
}

}  // namespace stagecraft::app::shell
