#pragma once

#include "app/jobs/planning_jobs.h"

#include <QScrollArea>

#include <vector>

class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace stagecraft::app::start {

/// What the window shows without a project: samples as cards, recent projects, and ways in.
class StartPage : public QScrollArea {
    Q_OBJECT

public:
    explicit StartPage(QWidget* parent = nullptr);
    void setRecent(const QStringList& files);
    /// Says under the buttons why the last file could not be opened; empty: nothing.
    void showError(const QString& message);

signals:
    /// @param plan which of its plans is to be shown, by index; -1: what is shown first otherwise
    void sampleChosen(QString id, int plan = -1);
    void madPipeCellChosen(int cell);   ///< of madPipeCells()
    void experimentChosen(QString id);  ///< of paperExperiments(); empty: what became of all of them
    void measuredRequested();           ///< public measurements beside what is predicted
    void recentChosen(QString path);
    void lessonsRequested();
    void newPlanRequested();
    void newRequested();
    void newExperimentRequested();
    void openRequested();
    void recordingRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    /// Cards or buttons in as many columns as there is room for.
    struct Flow {
        QGridLayout* grid = nullptr;
        int mostColumns = 1;
        std::vector<QWidget*> widgets;
        int columns = 0;
    };

    Flow& addFlow(QGridLayout* grid, int mostColumns);
    void arrange(Flow& flow, int room) const;
    QWidget* makeHeader(QWidget* parent);
    QWidget* makeSamples(QWidget* parent);
    QWidget* makeSchedules(QWidget* parent);
    QWidget* makeGrid(QWidget* parent);
    QWidget* makeTestbeds(QWidget* parent);
    QWidget* makeReproduce(QWidget* parent);
    QWidget* makeSide(QWidget* parent);
    void orderTabs();
    void workOutPictures();

    PlanningJobs jobs_;
    std::vector<Flow> flows_;
    QWidget* samples_ = nullptr;
    QWidget* side_ = nullptr;
    QVBoxLayout* recent_ = nullptr;
    QLabel* error_ = nullptr;
};

}  // namespace stagecraft::app::start
