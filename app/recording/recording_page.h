#pragma once

#include "app/pages/page.h"
#include "app/recording/recording_library.h"
#include "app/recording/run_comparison.h"
#include "views/plan/plan_view.h"

#include <map>

class QComboBox;
class QLabel;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace stagecraft::recordings {
struct Calibration;
struct RecordingFindings;
struct TellingGains;
}  // namespace stagecraft::recordings

namespace stagecraft::app::recording {

class ReportPanel;

/// The tab of the runs that the project has recordings of: the chart of one, and beside it what is known of
/// it. It is there while there is a recording.
class RecordingPage : public Page {
    Q_OBJECT

public:
    explicit RecordingPage(Workspace& workspace, QWidget* parent = nullptr);
    ~RecordingPage() override;

    /// A recording that was opened becomes one of the project, in one step, unless it is there already, and
    /// is the one in view.
    void open(const std::vector<std::string>& files, std::shared_ptr<const RecordedRun> recorded);
    /// Those files are what the document that is about to be opened has.
    void put(const std::vector<std::string>& files, std::shared_ptr<const RecordedRun> recorded) {
        library_.put(files, std::move(recorded));
    }
    RecordingLibrary& library() { return library_; }
    /// The project's recordings that could be read, each with its notes.
    std::vector<NotedRecording> drawn() const;
    /// Which of the project's recordings is in view; -1: there is none.
    int shown() const { return shown_; }
    /// How each of the project's recordings is looked at, by index.
    std::vector<PlanViewState> viewStates() const;
    void setViewStates(const std::vector<PlanViewState>& states);
    void show(int recording);
    std::shared_ptr<const RecordedRun> shownRun() const { return run_; }
    PlanView* view() { return view_; }  ///< null until there was something to show
    ReportPanel& report() { return *report_; }
    bool isFoundOut() const { return found_ != nullptr; }
    /// Of the one in view, with its name; empty until it is found out.
    QString summary() const;
    void removeShown();
    /// Outlines of a plan of the project over the recording; 0: none.
    void compareWithPlan(int id);
    /// The same of another of the project's recordings; -1: none.
    void compareWithRecording(int recording);
    /// The profile and the links become what was measured of the plan that it is compared with, in one step.
    void calibrate();
    /// The plan of a schedule that is predicted to take less time becomes one of the project's and is shown;
    /// one that is there already is shown.
    void propose(int gain);
    /// The chart shows the iteration that is nearest the median, from side to side.
    void showTypicalIteration();

    bool isOffered() const override;
    void projectReplaced() override;
    void plansChanged() override;
    void bringUpToDate(const PlanItem* plan) override;
    std::vector<FigureSource> figures(const PlanItem* plan) const override;
    bool hasFigures() const override { return run_ && shown_ >= 0; }
    std::optional<FigurePart> partInView() const override;
    bool takeNotes(const std::vector<ChartNote>& notes, const QString& text) override;
    QString figuresSubject() const override;
    QImage picture() override;
    QWidget* focusTarget() override;

protected:
    void changeEvent(QEvent* event) override;

private:
    /// What the recording is compared with, and what of it the outlines are of.
    struct Compared {
        int plan = 0;        ///< id; 0: none
        int recording = -1;  ///< of the project's; -1: none
        std::shared_ptr<const PlanRun> run;
        std::shared_ptr<const RecordedRun> other;
    };

    void layOut();
    QWidget* newBar();
    void makeView();
    void follow();
    void showRun();
    void keepState();
    void showReport();
    void findOut();
    void findGains();
    bool canPropose() const;
    void take(const stagecraft::recordings::Calibration& made);
    void showChoices();
    void showNotes();
    void showAgainst();
    void compare();
    void showComparison(RunComparison comparison);

    Workspace& workspace_;
    RecordingLibrary library_;
    int shown_ = -1;
    std::shared_ptr<const RecordedRun> run_;
    QStackedWidget* pages_;
    QLabel* title_ = nullptr;  ///< in the place of a choice, where there is one recording
    QComboBox* choice_ = nullptr;
    QToolButton* remove_ = nullptr;
    QComboBox* against_ = nullptr;
    QPushButton* calibrate_ = nullptr;
    Compared compared_;
    Job comparing_, calibrating_, finding_, gaining_;
    std::shared_ptr<const PlannedOutlines> outlines_;
    ReportPart comparison_, calibration_;
    std::shared_ptr<const stagecraft::recordings::TellingGains> gains_;       ///< null: not known, or none
    std::shared_ptr<const stagecraft::recordings::RecordingFindings> found_;  ///< null until it is known
    /// By files, how recordings that are not in view were looked at last.
    struct Seen {
        std::map<std::vector<std::string>, PlanViewState> states;
        std::vector<std::string> inView;  ///< files
    };
    Seen seen_;
    PlanView* view_ = nullptr;
    ReportPanel* report_ = nullptr;
    QWidget* body_ = nullptr;
    QWidget* waiting_ = nullptr;
};

}  // namespace stagecraft::app::recording
