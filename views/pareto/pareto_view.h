#pragma once

#include "views/pareto/pareto_chart.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace stagecraft::views::pareto {

/// Throughput versus memory per GPU: the chart, what computes it, and two questions: how fast at a memory,
/// and how little memory at a speed.
class ParetoView : public QWidget {
    Q_OBJECT
public:
    explicit ParetoView(QWidget* parent = nullptr);

    /// @param samples in a microbatch
    void setSeries(const std::vector<ParetoSeries>& series, int samples);
    const std::vector<ParetoSeries>& series() const { return series_; }
    bool isEmpty() const;
    /// What the devices have: a line in the chart, and where the first question starts.
    void setLimit(double bytes);
    double limitBytes() const { return limitBytes_; }
    void setRunning(bool running);
    void setProgress(double fraction);
    /// The progress of the computation, in words.
    void setStatus(const QString& text, bool isError = false);
    bool showsThroughput() const;
    /// "fastest" or "leanest" of a curve: the point that answers, or none.
    ParetoPlace answer(bool fastest, int series) const;

    ParetoChart& chart() { return *chart_; }

signals:
    void startRequested();
    void stopRequested();
    void exportRequested();
    void planRequested(stagecraft::views::pareto::ParetoPlace place);

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Question {
        QDoubleSpinBox* value = nullptr;
        std::vector<QLabel*> answers;
        std::vector<QPushButton*> opens;
    };
    QWidget* makeStartPage();
    QWidget* makeBar();
    QWidget* makeQuestions();
    void showSeries();
    void showAnswers();
    void showAnswer(const Question& question, bool fastest, int series);
    double askedPeriodS() const;
    double askedBytes() const;
    void refreshIcons();

    std::vector<ParetoSeries> series_;
    int samples_ = 1;
    double limitBytes_ = 0;
    bool running_ = false;
    bool speedChosen_ = false;  ///< by a person
    bool showing_ = false;
    QStackedWidget* pages_;
    ParetoChart* chart_;
    QPushButton* start_ = nullptr;
    QProgressBar* progress_ = nullptr;
    QLabel* status_ = nullptr;
    QComboBox* axis_ = nullptr;
    QToolButton* export_ = nullptr;
    Question memory_, speed_;
    bool fastestAskedLast_ = true;
};

}  // namespace stagecraft::views::pareto
