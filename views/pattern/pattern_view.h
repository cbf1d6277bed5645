#pragma once

#include "views/figures/figure_canvas.h"
#include "views/pattern/pattern_figure.h"

class QLabel;

namespace stagecraft::views::pattern {

/// One period of a plan on the screen. Hover, or Left and Right, describes an operation.
class PatternPicture : public FigureCanvas {
    Q_OBJECT
public:
    explicit PatternPicture(QWidget* parent = nullptr);

    void setRun(std::shared_ptr<const PlanRun> run);
    const PatternChart& chart() const { return chart_; }
    /// Where a block of the chart is drawn, in pixels.
    QRectF blockRect(int block) const;
    int currentBlock() const { return current_; }
    /// What is said of a block, as rich text.
    QString describe(int block) const;
    QImage picture(double scale);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void redraw() override;
    void hoverAt(QPointF at, QPoint onScreen) override;
    void hoverEnded() override { setCurrent(-1); }
    bool step(QPoint by) override;
    bool letGo() override;

private:
    void setCurrent(int block);

    std::shared_ptr<const PlanRun> run_;
    PatternChart chart_;
    PatternDrawing drawing_;
    int current_ = -1;
};

/// A plan's pattern and below it what its planner expected, what was possible, and what is proven.
class PatternView : public QWidget {
    Q_OBJECT
public:
    explicit PatternView(QWidget* parent = nullptr);

    /// A plan that repeats a pattern, or null.
    void setRun(std::shared_ptr<const PlanRun> run);
    const std::shared_ptr<const PlanRun>& run() const { return run_; }
    PatternPicture& picture() { return *picture_; }
    QString facts() const;

signals:
    void exportRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void showFacts();

    std::shared_ptr<const PlanRun> run_;
    PatternPicture* picture_;
    QLabel* numbers_;
    QLabel* notes_;
};

}  // namespace stagecraft::views::pattern
