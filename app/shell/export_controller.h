#pragma once

#include "app/document/document_opener.h"
#include "app/figures/export_choice.h"
#include "app/shell/all_figures.h"
#include "app/shell/workbench.h"

#include <QMainWindow>

namespace stagecraft::app::shell {

/// Takes what is in view out of the window: as figures and tables, to the clipboard, and the profile as a
/// file. Files are written away from the GUI thread.
class ExportController : public QObject {
    Q_OBJECT

public:
    ExportController(Workspace& workspace, Workbench& workbench, QMainWindow& window);

    /// Whether anything in view can be drawn.
    bool canExport() const;
    void exportInView();
    /// Opens the dialogue on a figure that the project keeps; failed() says why it cannot be drawn.
    void openKept(const QString& name);
    /// The plan in view, or the comparison where that is shown, with these choices.
    void exportTo(const QString& path, const ExportChoice& choice);
    /// Every figure of the project, into a folder.
    AllFigures& allFigures() { return *all_; }
    /// Whether the plan in view can be written for an engine: it has a timeline.
    bool canExportForEngine() const;
    /// Asks where, and writes the plan in view as that engine's files (EngineFormat::id) or PyTorch's order
    /// ("torch-csv"). What the engine cannot be told failed() says.
    void askAndExportForEngine(const QString& format);
    void exportForEngine(const QString& format, const QString& path);
    void copyPicture();
    void saveProfile();

signals:
    /// A file or a folder of figures has been written, or failed() said why not.
    void exported(QString path);
    void failed(const OpenFailure& failure);

private:
    /// What can be drawn of what is in view, that itself first; empty: nothing can.
    std::vector<FigureSource> sourcesInView() const;
    QString folder() const;
    /// Keeps a figure in the project, and says so.
    QString keep(const QString& name, const StyledFigure& figure);
    void writeAway(const QString& path, std::function<void()> write);

    Workspace& workspace_;
    Workbench& workbench_;
    QMainWindow& window_;
    AllFigures* all_;
};

}  // namespace stagecraft::app::shell
