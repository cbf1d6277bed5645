#pragma once

#include "core/planners/schedule_choices.h"
#include "views/common/job.h"

#include <QImage>
#include <QWidget>

class QLabel;
class QListWidget;
class QListWidgetItem;
class QPushButton;
class QVBoxLayout;

namespace stagecraft::app {

class ParameterForm;

/// The schedule families for a plan's partition, each with its timeline in small, the share of time that
/// devices wait and the peak memory; those that do not take it say why. What the arrow keys reach is tried,
/// and a click or Enter takes it; below are the parameters of the family that the list is at.
class SchedulePanel : public QWidget {
    Q_OBJECT
public:
    explicit SchedulePanel(QWidget* parent = nullptr);
    ~SchedulePanel() override;

    /// Shows the families for that plan; for the same partition of the same problem only which one it has.
    void setPlan(std::shared_ptr<const PlanRun> run);
    bool isWorking() const { return job_.isRunning(); }
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
    /// The plan under each of these families.
    void comparisonRequested(const std::vector<const stagecraft::schedules::ScheduleFamily*>& families);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// A row of the list.
    struct Row {
        const ScheduleFamily* family = nullptr;
        bool applies = false;
        bool fits = false;
        QString numbers;  ///< or why it does not apply
        QImage thumbnail;
    };

    static Row rowOf(const ScheduleChoice& choice, double scale);
    static QString textOf(const Row& row, bool isOwn);
    void layOut();
    void work();
    void addRow(const Row& row);
    void showOwn();
    void showFamily();
    void showParameters(const ScheduleFamily& family);
    const Row* current() const;
    void propose();
    void request();
    Plan planUnder(const ScheduleFamily& family) const;

    std::shared_ptr<const PlanRun> run_;
    std::vector<Row> rows_;
    views::Job job_;
    QListWidget* list_;
    QVBoxLayout* column_ = nullptr;
    QLabel* about_;
    ParameterForm* form_ = nullptr;
    const ScheduleFamily* formOf_ = nullptr;
    QPushButton* equalLayers_;
    QPushButton* compare_;
    bool showing_ = false;
};

}  // namespace stagecraft::app
