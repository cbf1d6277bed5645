#pragma once

#include "views/training/curves_figure.h"
#include "views/training/training_controls.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace stagecraft::views::training {

class CurveChart;
class CurveChoices;
class CurveLegend;
class TrainingTables;

/// What a training came to so far.
struct TrainingShown {
    std::vector<stagecraft::training::PolicyRuns> runs;
    QString title;     ///< of the plan that was trained
    QString settings;  ///< in a sentence
    int epochs = 0;
    int seeds = 0;
};

/// Curves and results of a training, and the buttons that start, pause and stop it.
class TrainingView : public QWidget {
    Q_OBJECT
public:
    using Activity = TrainingActivity;

    explicit TrainingView(QWidget* parent = nullptr);

    void setShown(const TrainingShown& shown);
    const TrainingShown& shown() const { return shown_; }
    /// Nothing has been trained yet: the view says what to do.
    void clear();
    bool isEmpty() const { return shown_.runs.empty(); }
    void setActivity(Activity activity);
    /// Why it cannot start; empty: it can.
    void setObstacle(const QString& obstacle);
    /// @param fraction from 0 to 1; @param text where it is and how long it will take
    void setProgress(double fraction, const QString& text);
    /// Beside the progress: what to know of the curves.
    void setRemark(const QString& remark);
    /// A row above the curves, or none for an empty text.
    void setError(const QString& text);

    /// Which curves are shown and how, with the epochs of what is trained; no size.
    CurvesOptions options() const;
    void setOptions(const CurvesOptions& options);
    CurveChart* chart() const { return chart_; }
    /// The curves with their legend, as they are on the screen.
    QPixmap picture();

signals:
    void startRequested();
    void pauseRequested(bool pause);
    void stopRequested();
    void exportRequested();
    void optionsChanged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QWidget* makeEmptyPage();
    QWidget* makeDrawing(QWidget* parent);
    QWidget* makeResultsPage();
    void connectChoices();
    void redraw();
    void showButtons();
    void shareHeight();

    TrainingShown shown_;
    CurvesOptions options_;
    Activity activity_ = Activity::idle;
    QString obstacle_;
    bool heightChosen_ = false;  ///< a person moved the splitter; it stays there

    TrainingControls* controls_ = nullptr;
    QLabel* error_ = nullptr;
    QLabel* title_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    QPushButton* firstStart_ = nullptr;
    QLabel* obstacleText_ = nullptr;
    CurveChoices* choices_ = nullptr;
    QLabel* spread_ = nullptr;
    QWidget* drawing_ = nullptr;
    CurveLegend* legend_ = nullptr;
    CurveChart* chart_ = nullptr;
    QSplitter* panes_ = nullptr;
    TrainingTables* tables_ = nullptr;
};

}  // namespace stagecraft::views::training
