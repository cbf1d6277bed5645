#pragma once

#include "core/runs/plan_run.h"
#include "core/weights/pass_lookup.h"
#include "views/rooms.h"

#include <QWidget>

#include <optional>
#include <vector>

class QAction;
class QLabel;
class QMenu;
class QScrollArea;
class QSplitter;
class QToolButton;

namespace stagecraft::views::timeline {
class Legend;
}

namespace stagecraft::views::stack {

class StackRow;

/// A plan that can be in a stack.
struct StackPlan {
    int id = 0;
    std::shared_ptr<const PlanRun> run;  ///< ok()
};

/// Two to six plans one above the other on one time axis: what is zoomed, panned or pointed at in one chart
/// is so in all.
class StackView : public QWidget {
    Q_OBJECT
public:
    static constexpr int mostPlans = 6;

    explicit StackView(QWidget* parent = nullptr);

    /// What may be chosen, in the order in which it is shown. What was chosen stays chosen by its id.
    void setPlans(std::vector<StackPlan> plans);
    enum class Order { asPlans, asChosen };
    /// The first six of these that there are, in the order of the plans unless another is asked for.
    void choose(const std::vector<int>& ids, Order order = Order::asPlans);
    std::vector<int> chosen() const;
    /// What was chosen, whether it is there or not.
    const std::vector<int>& wanted() const { return wanted_; }
    /// The plan that the others are measured against, in the stack or not: what was set while it is there,
    /// else the usual one (referencePlan); 0: none.
    int reference() const;
    void setReference(int id);

    void setVisibleRange(double t0, double t1);
    std::pair<double, double> visibleRange() const;  ///< seconds; (0, 0) without charts
    void fitAll();
    const std::vector<StackRow*>& rows() const { return rows_; }

signals:
    void statusText(QString text);
    void planActivated(int id, quint32 block);  ///< a block was double-clicked
    void referenceChosen(int id);               ///< by a person

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QWidget* makeToolbar();
    void refreshIcons();
    void fillMenu();
    /// Those that are chosen, in their order.
    std::vector<const StackPlan*> wantedPlans() const;
    void rebuildRows();
    void connectRow(StackRow* row);
    void rowReady();
    void align();
    void shareHeight();
    void showWords();
    void showEnds();
    void showLegend();
    void setCursorTime(std::optional<double> timeS);
    void lightUp(StackRow* from, quint32 block);
    void select(StackRow* from, quint32 block);
    void zoomBy(double factor);
    void panBy(double partOfView);
    double lastEndS() const;
    const StackPlan* referenced() const;

    std::vector<StackPlan> plans_;
    std::vector<int> wanted_;  ///< ids
    Order order_ = Order::asPlans;
    std::vector<StackRow*> rows_;
    int wantedReference_ = 0;
    bool ranged_ = false;  ///< a person has chosen what is visible
    std::optional<double> cursor_;
    QToolButton* choice_ = nullptr;
    QMenu* menu_ = nullptr;
    QAction* communication_ = nullptr;
    QAction* criticalPath_ = nullptr;
    QAction* fit_ = nullptr;
    QLabel* hint_ = nullptr;
    QScrollArea* area_ = nullptr;
    QSplitter* splitter_ = nullptr;
    Legend* legend_ = nullptr;
};

}  // namespace stagecraft::views::stack
