#pragma once

#include "app/document/document_opener.h"
#include "app/document/workspace.h"
#include "app/figures/export_choice.h"
#include "app/figures/figure_set.h"
#include "views/common/job.h"

#include <QWidget>

#include <functional>

class QLabel;
class QMainWindow;
class QProgressBar;

namespace stagecraft::app::shell {

/// Writes every figure of the project, or those that it keeps, into a folder, away from the GUI thread. While
/// it does, this is seen in the status bar: how far it is, and a way to stop it.
class AllFigures : public QWidget {
    Q_OBJECT

public:
    /// @param recordings those of the project that could be read
    AllFigures(Workspace& workspace, std::function<std::vector<NotedRecording>()> recordings,
               QMainWindow& window);

    /// Whether there is anything to draw, and nothing of this is under way.
    bool canExport() const;
    bool canExportKept() const { return canExport() && !workspace_.figures().empty(); }
    /// For a folder, and whether files that are there may be replaced.
    void askAndExport();
    /// Kept figures again, into the folder into which this project's went last; asks for one the first time.
    void remakeKept();
    enum class Which { all, kept };
    /// In this format, and in this style where a figure has none of its own; files of the same names are
    /// replaced.
    void exportTo(Which which, const QString& folder, const FigureFormat& format, const FigureStyle& style);
    /// What figures of the project as it is now are drawn of.
    DrawnProject drawn() const;

signals:
    void runningChanged();
    /// All has been written, or failed() said what was not.
    void exported(QString folder);
    void failed(const OpenFailure& failure);

private:
    std::vector<FiledFigure> figures(Which which) const;
    QString folderToStartFrom(const ExportChoice& choice) const;
    bool mayReplace(const std::vector<std::filesystem::path>& files);
    void end(bool stopped, const QString& failure);

    Workspace& workspace_;
    std::function<std::vector<NotedRecording>()> recordings_;
    QMainWindow& window_;
    QLabel* message_;
    QProgressBar* progress_;
    QString folder_;
    int total_ = 0;
    std::vector<FiledOutcome> outcomes_;
    Job job_;  // last: what it runs and tells of is above
};

}  // namespace stagecraft::app::shell
