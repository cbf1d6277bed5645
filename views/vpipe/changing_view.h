#pragma once

#include "core/planners/vpipe/changing_network.h"
#include "views/rooms.h"

#include <QWidget>

class QDoubleSpinBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QTableWidget;
class QToolButton;

namespace stagecraft::views::vpipe {

class ThroughputChart;

/// A network that changes while it trains: its events as a table that can be edited, and the throughput over
/// time that comes of them.
class ChangingView : public QWidget {
    Q_OBJECT
public:
    explicit ChangingView(QWidget* parent = nullptr);

    void setScript(const NetworkScript& script);
    /// What the table says, by time.
    NetworkScript script() const;
    void setPoints(std::vector<planners::vpipe::ThroughputPoint> points);
    const std::vector<planners::vpipe::ThroughputPoint>& points() const { return points_; }
    void setRunning(bool running);
    void setProgress(double fraction);
    void setStatus(const QString& text, bool isError = false);
    ThroughputChart& chart() { return *chart_; }

signals:
    void scriptEdited();  ///< by a person, in the table
    void startRequested();
    void stopRequested();
    void loadRequested();
    void saveRequested();
    void exportRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void makeEvents();
    void makeFields();
    void connectFields();
    QWidget* makeSide();
    void addRow(const NetworkEvent& event);
    void onEdited();
    void refreshIcons();

    std::vector<planners::vpipe::ThroughputPoint> points_;
    ThroughputChart* chart_;
    QTableWidget* events_ = nullptr;
    QDoubleSpinBox* duration_ = nullptr;
    QToolButton *add_ = nullptr, *remove_ = nullptr, *load_ = nullptr, *save_ = nullptr, *export_ = nullptr;
    QPushButton *start_ = nullptr, *stop_ = nullptr;
    QProgressBar* progress_ = nullptr;
    QLabel* status_ = nullptr;
    bool filling_ = false;
};

}  // namespace stagecraft::views::vpipe
