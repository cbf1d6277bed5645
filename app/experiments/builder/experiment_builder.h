#pragma once

#include "app/experiments/builder/base_chooser.h"
#include "app/experiments/builder/draft_check.h"
#include "app/experiments/builder/draft_history.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;

namespace stagecraft::app::experiments {

class AboutForm;
class AxisCards;
class BasePane;
class ClaimsEditor;
class MetricTicks;
class PlannerTicks;

/// Puts an experiment together without writing JSON: its base, axes, planners, metrics and claims. Every
/// change can be undone; what is wrong is marked in its place, and what the grid will cost below.
class ExperimentBuilder : public QWidget {
    Q_OBJECT
public:
    explicit ExperimentBuilder(OpenProject openProject, QWidget* parent = nullptr);

    /// Begins with that experiment, with nothing to undo. @param path its file; empty: none yet
    void begin(const Experiment& experiment, const QString& path);
    /// The open project as base, or a recipe; SPP alone.
    void beginFresh();
    /// What is written as an experiment; nothing while something is wrong.
    std::optional<Experiment> experiment() const { return check_.experiment(); }
    const ExperimentDraft& draft() const { return *history_.draft(); }
    const QString& path() const { return path_; }
    void setPath(const QString& path) { path_ = path; }
    QUndoStack* undoStack() { return &history_.undoStack(); }
    /// A choice of a file, or a base that a test gives.
    BaseChooser& base();
    void saveTo(const QString& path);
    void say(const QString& sentence);
    void rename(const QString& name);

signals:
    /// Another draft is about to take this one's place. @param path its file; empty: none yet
    void begun(const QString& path);
    /// The draft is another, and what can be written of it is known.
    void looked();
    void runRequested(const stagecraft::experiments::Experiment& experiment);
    void saved(const QString& path, const stagecraft::experiments::Experiment& experiment);
    void closeRequested();

private:
    QWidget* makeHead();
    QWidget* makeRight();
    QWidget* makeFoot();
    void connectParts();
    void showDraft();
    void showMistakes();
    void showMistake(const DraftMistake& mistake);
    void save();

    QString path_;
    DraftHistory history_;
    DraftCheck check_;

    QLineEdit* name_;
    BasePane* base_;
    AxisCards* axes_;
    PlannerTicks* planners_;
    MetricTicks* metrics_;
    ClaimsEditor* claims_;
    AboutForm* about_;
    QScrollArea* scroll_;
    QLabel* forecast_;
    QPushButton* save_;
    QPushButton* run_;
};

}  // namespace stagecraft::app::experiments
