#pragma once

#include "app/rooms.h"
#include "core/programs/any_family.h"
#include "core/programs/recognised_schedule.h"
#include "views/common/job.h"

#include <QImage>
#include <QWidget>

#include <map>

class QLabel;
class QLineEdit;
class QListWidget;
class QListWidgetItem;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace stagecraft::app::panels {
class ParameterForm;
}

namespace stagecraft::app::plan {

/// The schedule families for a plan's partition, each with its timeline in small, the share of time that
/// devices wait and the peak memory; those that do not take it say why. Above them is which family the plan's
/// own order is, or where it differs from the nearest. What the arrow keys reach is tried,
/// and a click or Enter takes it; below are the parameters of the family that the list is at. A program runs
/// again when one of its parameters changes, and the plan takes what it answers.
class SchedulePanel : public QWidget {
    Q_OBJECT
public:
    explicit SchedulePanel(QWidget* parent = nullptr);
    ~SchedulePanel() override;

    /// Shows the families for that plan; for the same partition of the same problem only which one it has.
    void setPlan(std::shared_ptr<const PlanRun> run);
    /// What there is to choose from has changed.
    void reload();
    /// The list is at the plan's own schedule again.
    void showOwn();
    bool isWorking() const { return job_.isRunning() || programJob_.isRunning() || recognising_.isRunning(); }
    QListWidget& list() { return *list_; }
    /// Of the family that the list is at; null where it has no parameters.
    ParameterForm* form() { return form_; }

signals:
    /// A plan under another schedule, until it is taken or withdrawn.
    void proposed(const stagecraft::model::Plan& plan, const QString& family);
    void requested(const stagecraft::model::Plan& plan, const QString& family);
    void withdrawn();
    /// A new plan of equal layers, placed as the family wants them.
    void equalLayersRequested(const stagecraft::schedules::ScheduleFamily& family,
                              const stagecraft::base::ParameterValues& values);
    /// The plan's own stages, split, joined or copied as the family wants them placed.
    void arrangementRequested(const stagecraft::schedules::ScheduleFamily& family,
                              const stagecraft::base::ParameterValues& values);
    /// These plans, each under another schedule than the plan's own and named after it.
    void comparisonRequested(const std::vector<stagecraft::model::Plan>& plans);
    /// An experiment with every schedule over several numbers of microbatches.
    void experimentRequested();
    /// The plan's order is to be kept under that name.
    void keepRequested(const QString& name);
    /// A block of the plan's own timeline is to be shown.
    void blockWanted(quint32 block);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    /// A row of the list.
    struct Row {
        AnyFamily family;
        bool applies = false;
        bool fits = false;
        Plan plan;        ///< under it, with what the plan had set of its own
        QString numbers;  ///< or why it does not apply
        QString arrangement;  ///< what would make it apply: "Split each stage in 2"; empty: nothing known
        QImage thumbnail;
    };

    /// @param own the plan as it is, @param run of it under the family
    static Row rowOf(const AnyFamily& family, const Plan& own, const PlanRun& run, double scale);
    static QString textOf(const Row& row, bool isOwn);
    bool isPlansOwn(const Row& row) const;
    void keep();
    void forget();
    void layOut();
    void layOutArranging();
    void work();
    void recognise();
    void showRecognised(const RecognisedSchedule& recognised);
    void showDifference(const QString& place);
    void addRow(const Row& row);
    void showRow(int row, bool isOwn);
    void replaceRow(const Row& row);
    void runProgram();
    void showFamily();
    void showArrangement();
    ParameterValues chosenChunks() const;
    void showParameters();
    ParameterValues valuesOf(const AnyFamily& family) const;
    const Row* current() const;
    void propose();
    void request();
    Plan planUnder(const Row& row) const;

    std::shared_ptr<const PlanRun> run_;
    std::vector<Row> rows_;
    views::common::Job job_, programJob_, recognising_;
    RecognisedSchedule recognised_;                           ///< of run_
    std::map<std::string, ParameterValues> programSettings_;  ///< by id, where a person has set some
    QListWidget* list_;
    QVBoxLayout* column_ = nullptr;
    QLabel* own_;  ///< which family the plan's order is
    QLabel* about_;
    ParameterForm* form_ = nullptr;
    std::string formOf_;  ///< the id of its family
    QPushButton* arrange_;
    QSpinBox* chunks_;
    QPushButton* equalLayers_;
    QPushButton* compare_;
    QPushButton* experiment_;
    QLineEdit* ownName_;
    QPushButton* keep_;
    bool showing_ = false;
};

}  // namespace stagecraft::app::plan
