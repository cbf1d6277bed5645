#pragma once

#include "views/rooms.h"

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace stagecraft::views::training {

/// Whether something is being trained.
enum class TrainingActivity { idle, running, paused };

/// The row above the curves that starts, pauses and stops a training, says where it is and exports it.
class TrainingControls : public QWidget {
    Q_OBJECT
public:
    explicit TrainingControls(QWidget* parent = nullptr);

    /// @param obstacle why it cannot start; empty: it can @param empty whether there are no curves yet
    void showState(TrainingActivity activity, const QString& obstacle, bool empty);
    bool isStartFocused() const;
    void focusPause();
    /// @param fraction from 0 to 1; @param text where it is and how long it will take
    void setProgress(double fraction, const QString& text);
    void setRemark(const QString& remark);

signals:
    void startRequested();
    void pauseRequested(bool pause);
    void stopRequested();
    void exportRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void makeButtons();
    void makeProgress();
    void showWhere();

    bool running_ = false;
    QString whereText_, remark_;
    QPushButton* start_ = nullptr;
    QPushButton* pause_ = nullptr;
    QPushButton* stop_ = nullptr;
    QToolButton* export_ = nullptr;
    QLabel* where_ = nullptr;
    QProgressBar* progress_ = nullptr;
};

}  // namespace stagecraft::views::training
