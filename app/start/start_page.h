#pragma once

#include "app/jobs/planning_jobs.h"

#include <QScrollArea>

class QLabel;
class QVBoxLayout;

namespace stagecraft {

/// What the window shows without a project: samples as cards, recent projects, and ways in.
class StartPage : public QScrollArea {
    Q_OBJECT

public:
    explicit StartPage(QWidget* parent = nullptr);
    void setRecent(const QStringList& files);
    /// Says under the buttons why the last file could not be opened; empty: nothing.
    void showError(const QString& message);

signals:
    void sampleChosen(QString id);
    void madPipeCellChosen(int cell);  ///< of madPipeCells()
    void experimentChosen(QString id);  ///< of paperExperiments(); empty: what became of all of them
    void recentChosen(QString path);
    void newRequested();
    void newExperimentRequested();
    void openRequested();

private:
    QWidget* makeHeader();
    QWidget* makeSamples();
    QWidget* makeGrid();
    QWidget* makeTestbeds();
    QWidget* makeReproduce();
    QWidget* makeSide();
    void workOutPictures();

    PlanningJobs jobs_;
    QVBoxLayout* recent_ = nullptr;
    QLabel* error_ = nullptr;
};

}  // namespace stagecraft
