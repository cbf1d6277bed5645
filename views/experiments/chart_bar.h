#pragma once

#include "views/experiments/chart_choice.h"

#include <QWidget>

#include <memory>

class QComboBox;
class QLabel;
class QToolButton;

namespace stagecraft::views::experiments {

/// What a chart of results shows: its kind, metrics, axes, and the value of each axis that is not drawn.
class ChartBar : public QWidget {
    Q_OBJECT
public:
    explicit ChartBar(QWidget* parent = nullptr);

    void setGrid(std::shared_ptr<const Grid> grid, const ChartChoice& choice);
    const ChartChoice& choice() const { return choice_; }

signals:
    void changed();

private:
    QComboBox* chooser(const char* name, const QString& tip);
    QToolButton* toggle(const char* name, const QString& text, const QString& tip);
    QLabel* word(const QString& text);
    void fill();
    void fillAxes();
    void fillSlices();
    void showChoice();
    void readKind();
    void read();
    void readSlice(std::size_t axis, int entry);

    std::shared_ptr<const Grid> grid_;
    ChartChoice choice_;
    bool filling_ = false;
    QComboBox *kind_, *metric_, *across_, *axis_, *upright_, *planner_, *relative_, *panels_;
    QLabel *over_, *and_, *of_;  ///< the words between the boxes
    QToolButton *logMetric_, *logAcross_;
    std::vector<std::pair<std::size_t, QComboBox*>> slices_;  ///< by axis
};

}  // namespace stagecraft::views::experiments
