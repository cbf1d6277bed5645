#pragma once

#include "app/pages/page.h"
#include "app/plan/limit_planner.h"
#include "views/plan/plan_view.h"

#include <utility>

class QStackedWidget;
class QToolButton;

namespace stagecraft::views::pareto {
class MemoryLimitBar;
}
namespace stagecraft::views::pattern {
class PatternView;
}

namespace stagecraft::app::plan {

class PlanEditor;

/// The tab of one plan: its charts; for a plan that repeats a pattern also that; and for planners that plan
/// for memory a slider for the limit, under which the plan is made anew while it moves.
class PlanPage : public Page {
    Q_OBJECT

public:
    PlanPage(Workspace& workspace, int planId, QWidget* parent = nullptr);
    ~PlanPage() override;

    /// Its plan is gone: it answers nobody any more, and waits to be deleted.
    void retire();

    /// Shows another plan from now on, with the same zoom and selection: what became of the one before.
    void setPlan(int planId);
    /// The charts, made when they are first asked for or seen: many plans may come at once.
    PlanView& view();
    /// Makes the next part of what view() makes. @return whether there is more
    bool prepareMore();
    bool isPrepared() const { return editor_ != nullptr; }
    /// Whether the charts were made since this was asked last: what they show is better left to the next turn
    /// of the event loop, so that the window answers in between.
    bool takeFresh() { return std::exchange(fresh_, false); }
    PlanViewState viewState() const;
    void setViewState(const PlanViewState& state);
    void highlightDevice(int device);
    PatternView* pattern() { return pattern_; }    ///< null until a plan has had one
    PlanEditor* editor() { return editor_; }       ///< null until there is a view
    MemoryLimitBar* limitBar() { return limit_; }  ///< null while no plan has needed it

    /// What the document has; a preview of another limit is put aside.
    void setRun(std::shared_ptr<const PlanRun> run);
    const std::shared_ptr<const PlanRun>& run() const { return run_; }
    /// That, or the preview in its place.
    std::shared_ptr<const PlanRun> shownRun() const { return view_ ? view_->run() : nullptr; }
    /// Whether what is shown is not what the document has: it is tried, and not applied.
    bool showsTrial() const { return view_ && view_->run() != run_ && shownRun(); }
    bool hasPattern() const;
    bool patternShown() const;
    void showPattern(bool on);

    void bringUpToDate(const PlanItem* plan) override;
    std::vector<FigureSource> figures(const PlanItem* plan) const override;
    bool hasFigures() const override;
    std::optional<FigurePart> partInView() const override;
    QString figuresRemark() const override;
    QString figuresSubject() const override;
    QImage picture() override;

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

signals:
    void prepared();
    /// The bar above the plan, or its pattern: there are buttons that were not there before.
    void partsMade();
    void deviceHovered(int device);
    /// What is tried, or that it is shown, has changed.
    void trialShown();
    /// Plans are to be compared that the document does not have; `of`: what they are, in words.
    void comparisonWanted(std::shared_ptr<const stagecraft::cost::CostModel> costs,
                          const std::vector<stagecraft::model::Plan>& plans, const QString& of);
    void scheduleExperimentWanted();

private:
    void layOut();
    void prepareShown();
    void makeView();
    void placeView();
    void makeBar();
    void makePattern();
    void makeEditor();
    void connectLimit();
    void showParts();
    void showNotes();
    void showLimit();
    void showCaption();
    void showInView(std::shared_ptr<const PlanRun> run);
    LimitQuestion question(double bytes) const;
    void onMoved(double bytes);
    void onPreviewed(const LimitQuestion& question, const std::shared_ptr<const PlanRun>& run);
    void onSettled(double bytes);
    void commit(const LimitQuestion& question);
    void onRefined(const LimitQuestion& question, const std::shared_ptr<const PlanRun>& run);
    void onFailed(const QString& reason);
    void forgetPreview();
    void showActivity();
    /// While sliders of What if or of the memory limit have been moved the chart shows another plan than the
    /// document has.
    bool chartShowsTrial() const;

    Workspace& workspace_;
    int id_;
    LimitPlanner planner_;
    std::shared_ptr<const PlanRun> run_;
    std::shared_ptr<const PlanRun> preview_;  ///< of the newest limit that was answered, plan or not
    double previewBytes_ = 0;
    bool committing_ = false;  ///< the limit is settled; its preview is awaited
    bool ownEdit_ = false;     ///< what the document reports is what this page did

    // What only some plans need is made for those: styling it takes time.
    QWidget* bar_ = nullptr;
    QToolButton* unrolledButton_ = nullptr;
    QToolButton* patternButton_ = nullptr;
    QToolButton* pareto_ = nullptr;
    QToolButton* vpipe_ = nullptr;
    MemoryLimitBar* limit_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    PlanView* view_ = nullptr;
    bool fresh_ = false;
    bool preparing_ = false;  ///< the next turn of the event loop makes a part
    PlanEditor* editor_ = nullptr;
    PlanViewState state_;   ///< until there is a view
    int highlighted_ = -1;  ///< device, likewise
    PatternView* pattern_ = nullptr;
};

/// Whether the plan repeats a pattern that can be shown.
bool isPeriodic(const PlanRun& run);

}  // namespace stagecraft::app::plan
