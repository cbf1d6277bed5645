#pragma once

#include "core/model/plan_origin.h"
#include "views/plot/axes_chart.h"

namespace stagecraft::views::compare {

/// What a planner weighs that tries several numbers of stages (SPP's Fig. 10): for each number of stages
/// tried the largest load W of any stage or channel, and the makespan of PE. Hover shows the numbers; a
/// click, or Left, Right and Enter, picks an attempt.
class TradeOffChart : public AxesChart {
    Q_OBJECT
public:
    explicit TradeOffChart(QWidget* parent = nullptr);

    /// Attempts that were not finite are left out. `plan` is whose they are, `remark` what is beside the
    /// title ("out of date").
    void setAttempts(const std::vector<Attempt>& attempts, const QString& plan, const QString& remark = {});
    QString title() const;
    int attemptCount() const { return static_cast<int>(attempts_.size()); }
    /// Where the makespan of the attempt with that many stages is drawn; a null point if there is none.
    QPointF pointOf(int stages) const;
    QSize sizeHint() const override { return {460, 260}; }
    QSize minimumSizeHint() const override { return {260, 160}; }

signals:
    void attemptActivated(int stages);

protected:
    void build() override;
    void paintMarks(QPainter& painter) const override;
    void pointTo(const std::optional<QPointF>& position) override;
    bool hit(const QPointF& position) override;
    void focusInEvent(QFocusEvent* event) override;
    bool step(QPoint by) override;
    bool pick(Qt::KeyboardModifiers modifiers) override;

private:
    QPointF at(const Attempt& attempt, double Attempt::*seconds) const;
    int nearest(const QPointF& position) const;
    void setCurrent(int index, bool tooltip);
    QString describe(const Attempt& attempt) const;
    void plotSeries(double Attempt::*seconds, const QString& name, const QPen& pen, std::size_t sign);
    void paintChosen(QPainter& painter, const Attempt& attempt) const;

    std::vector<Attempt> attempts_;  ///< by number of stages
    QString plan_, remark_;
    int current_ = -1;  ///< under the pointer, or reached with the keyboard
};

}  // namespace stagecraft::views::compare
