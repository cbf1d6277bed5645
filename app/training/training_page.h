#pragma once

#include "app/pages/page.h"
#include "app/training/policy_check.h"
#include "app/training/training_job.h"

#include <QTimer>
#include <QVariantMap>

class QStackedWidget;

namespace stagecraft::app::panels {
class EmptyPanel;
}

namespace stagecraft::app::training {

class TrainingPanel;

/// The tab in which a small network is trained through a plan of the project.
class TrainingPage : public Page {
    Q_OBJECT

public:
    explicit TrainingPage(Workspace& workspace, QWidget* parent = nullptr);

    /// The plan in view becomes the one to train; a training under way continues.
    void bringUpToDate(const PlanItem* plan) override;
    std::vector<FigureSource> figures(const PlanItem* plan) const override;
    bool hasFigures() const override { return hasResults(); }
    QImage picture() override;
    void start();
    void pauseOrResume();
    void stop();

    TrainingJob& job() { return job_; }
    TrainingView& view() { return *view_; }
    TrainingPanel& panel() { return *panel_; }
    bool hasResults() const;
    /// Whether start() would.
    bool canStart() const;

    /// Settings of the project's session.
    QVariantMap state() const;
    void setState(const QVariantMap& state);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeColumns();
    void connectSettings();
    void connectJob();
    TrainingRequest wanted() const;
    void onSettings();
    void checkTrainablePolicies();
    void showObstacle();
    void showDifference();
    void showProgress();
    void onEnded(const QString& failure);

    Workspace& workspace_;
    TrainingJob job_;
    PolicyCheck check_;
    QTimer settled_;  ///< settings are looked at once they rest
    QStackedWidget* pages_;
    EmptyPanel* empty_ = nullptr;
    TrainingView* view_ = nullptr;
    TrainingPanel* panel_ = nullptr;
    QString obstacle_;  ///< of plan and settings
    QString failure_;   ///< of the last run
    int lookedAt_ = 0;
    bool hadResults_ = false;
    bool stale_ = true;  ///< what can be trained has to be asked again
};

}  // namespace stagecraft::app::training
