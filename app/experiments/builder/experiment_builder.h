#pragma once

#include "app/experiments/builder/base_chooser.h"
#include "app/jobs/background_task.h"
#include "core/experiments/experiment_draft.h"

#include <QTimer>
#include <QUndoStack>
#include <QWidget>

#include <map>
#include <memory>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace stagecraft {

class AxisCard;
class ClaimsEditor;
class FieldTree;
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
    std::optional<Experiment> experiment() const { return checked_.experiment; }
    const ExperimentDraft& draft() const { return *draft_; }
    const QString& path() const { return path_; }
    void setPath(const QString& path) { path_ = path; }
    QUndoStack* undoStack() { return &undo_; }
    /// A choice of a file, or a base that a test gives.
    BaseChooser& base() { return *base_; }
    void saveTo(const QString& path);
    void say(const QString& sentence);
    void rename(const QString& name);

signals:
    /// Another draft is about to take this one's place. @param path its file; empty: none yet
    void begun(const QString& path);
    /// The draft is another, and what can be written of it is known.
    void looked();
    void runRequested(const stagecraft::Experiment& experiment);
    void saved(const QString& path, const stagecraft::Experiment& experiment);
    void closeRequested();

private:
    friend class DraftCommand;
    using Draft = std::shared_ptr<const ExperimentDraft>;

    QWidget* makeHead();
    QWidget* makeLeft();
    QWidget* makeRight();
    QWidget* makeFoot();
    QWidget* makeAbout();
    /// @param merge changes of one kind that follow each other are undone together; empty: this one alone
    void edit(const QString& text, const QString& merge, const std::function<void(ExperimentDraft&)>& how);
    void setDraft(Draft draft);
    /// Puts another base under the axes; a large one once it was looked at, off the window's thread.
    void takeBase(const QString& text, const std::string& base, const std::filesystem::path& directory);
    void showAxes();
    /// Those of a large base are found off the window's thread.
    void showFields();
    /// Of a large base off the window's thread.
    void check();
    void takeChecked(const CheckedDraft& checked);
    void showMistakes();
    void showForecast();
    void askForecast();
    void nameBase(const std::string& base, const QString& name);
    void addAxis(const VariableField& field);
    void save();

    QString path_;
    std::map<std::size_t, QString> baseNames_;  ///< by hash of a base: where it is from
    Draft draft_;
    CheckedDraft checked_;
    QUndoStack undo_;
    BackgroundTask settling_;  ///< axes on a large base that is about to be taken
    BackgroundTask finding_;   ///< the fields of a large base
    BackgroundTask checking_;
    BackgroundTask forecasting_;
    QTimer wait_;
    std::string fieldsOf_;  ///< the base that the tree was made for

    QLineEdit* name_;
    BaseChooser* base_;
    FieldTree* fields_;
    QVBoxLayout* axesColumn_;
    QLabel* axesHint_;
    std::vector<AxisCard*> cards_;
    PlannerTicks* planners_;
    MetricTicks* metrics_;
    ClaimsEditor* claims_;
    QPlainTextEdit* about_;
    QLineEdit* source_;
    QScrollArea* scroll_;
    QLabel* forecast_;
    QPushButton* save_;
    QPushButton* run_;
};

}  // namespace stagecraft
