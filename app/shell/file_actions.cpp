#include "app/shell/file_actions.h"

#include "app/document/file_names.h"
#include "app/shell/export_controller.h"
#include "app/shell/file_controller.h"
#include "app/shell/session.h"
#include "app/shell/window_parts.h"
#include "core/programs/engine_files.h"

#include <QDir>
#include <QMenu>
#include <QMenuBar>

namespace stagecraft::app::shell {

FileActions::FileActions(ActionRegister& actions, Workspace& workspace, FileController& files,
                         ExportController& exports, QWidget* window)
    : QObject(window), actions_(actions) {
    const auto open = [&workspace] { return workspace.isOpen(); };
    actions.add({"file.new", fileMenu, tr("&New project"), QKeySequence::New, "new"},
                [&files] { files.newProject(); });
    actions.add({"file.newPlan", fileMenu, tr("&Plan a model…"), QKeySequence(tr("Ctrl+Shift+N")), "run"},
                [this] { emit newPlanWanted(); });
    actions.add(
        {"file.newExperiment", fileMenu, tr("New e&xperiment"), QKeySequence(tr("Ctrl+Alt+N")), "new"},
        [this] { emit newExperimentWanted(); });
    actions.add({"file.open", fileMenu, tr("&Open…"), QKeySequence::Open, "open"},
                [this] { emit openWanted(tr("Open"), anyFilter()); });
    actions.add({"file.openFolder", fileMenu, tr("Open &folder of a recording…")},
                [this] { emit folderWanted(); });
    actions.add(
        {"file.save", fileMenu, tr("&Save"), QKeySequence::Save, "save", true}, [&files] { files.save(); },
        open);
    actions.add(
        {"file.saveAs", fileMenu, tr("Save &as…"), QKeySequence(tr("Ctrl+Shift+S"))},
        [&files] { files.saveAs(); }, open);
    actions.add(
        {"file.export", fileMenu, tr("&Export figure…"), QKeySequence(tr("Ctrl+E")), "export", true},
        [&exports] { exports.exportInView(); }, [&exports] { return exports.canExport(); });
    addEngines(exports);
    actions.add(
        {"file.exportAll", fileMenu, tr("Export a&ll figures…")},
        [&exports] { exports.allFigures().askAndExport(); },
        [&exports] { return exports.allFigures().canExport(); });
    actions.add(
        {"file.remakeKept", fileMenu, tr("Re&make kept figures")},
        [&exports] { exports.allFigures().remakeKept(); },
        [&exports] { return exports.allFigures().canExportKept(); });
    actions.add(
        {"file.close", fileMenu, tr("&Close project"), QKeySequence::Close, "close", true},
        [&files] { files.close(); }, open);
    actions.add({"file.quit", fileMenu, tr("&Quit"), QKeySequence(tr("Ctrl+Q"))},
                [window] { window->close(); });
}

void FileActions::addRecentMenu(QMenuBar& bar) {
    QMenu* file = bar.actions().front()->menu();
    auto* recent = new QMenu(tr("Open &recent"), file);
    file->insertMenu(actions_.action(QStringLiteral("file.save")), recent);
    connect(recent, &QMenu::aboutToShow, this, [this, recent] {
        recent->clear();
        for (const QString& path : Preferences::recentFiles())
            recent->addAction(QDir::toNativeSeparators(path), this, [this, path] { emit fileWanted(path); });
        if (recent->isEmpty()) recent->addAction(tr("Nothing yet"))->setEnabled(false);
    });
}

void FileActions::addEngines(ExportController& exports) {
    const auto add = [this, &exports](const QString& title, const QString& format) {
        const std::string id = "file.engine-" + format.toStdString();
        actions_.add(
            {id.c_str(), fileMenu, '&' + title + QStringLiteral("…"), {}, "", false, "Export for an engine"},
            [&exports, format] { exports.askAndExportForEngine(format); },
            [&exports] { return exports.canExportForEngine(); });
    };
    add(tr("PyTorch: order of passes (CSV)"), QStringLiteral("torch-csv"));
    for (const EngineFormat& engine : engineFormats())
        add(QLatin1String(engine.title), QLatin1String(engine.id));
}

}  // namespace stagecraft::app::shell
