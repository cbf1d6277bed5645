#pragma once

#include "app/document/samples.h"
#include "core/runs/plan_run.h"

#include <QAbstractButton>

namespace stagecraft::app::start {

/// A sample that opens with one click: a picture of it, its title, and a line about it.
class SampleCard : public QAbstractButton {
    Q_OBJECT

public:
    explicit SampleCard(const Sample& sample, QWidget* parent = nullptr);
    /// The schedule for the picture and the line under it.
    void setRun(std::shared_ptr<const PlanRun> run);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;
    /// Return opens it as Space does.
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// What opening the sample shows, according to its schedule.
    QString summaryText() const;

    const Sample& sample_;
    std::shared_ptr<const PlanRun> run_;
};

}  // namespace stagecraft::app::start
