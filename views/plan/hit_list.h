#pragma once

#include "views/timeline/chart_data.h"

#include <QWidget>

class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace stagecraft::views::plan {

/// What a search has found, one row per block; a click jumps.
class HitList : public QWidget {
    Q_OBJECT
public:
    explicit HitList(QWidget* parent = nullptr);

    /// The first of them, by start; more than a person reads are counted.
    void setHits(const ChartData* chart, const std::vector<std::uint32_t>& blocks);
    void setCurrent(int hit);
    QSize sizeHint() const override;

signals:
    void chosen(int hit);

private:
    QTreeWidget* list_;
    QLabel* more_;
};

}  // namespace stagecraft::views::plan
