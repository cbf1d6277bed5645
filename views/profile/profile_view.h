#pragma once

#include "core/planners/plan_run.h"

#include <QWidget>

#include <memory>

class QLabel;
class QLineEdit;
class QStackedWidget;
class QTableView;

namespace stagecraft {

class LayerBars;
class LayerFilter;
class LayerTable;
class TableColumns;
class ProfileHeader;
class TotalsRow;

/// A layer profile as bars over a table, with the stages of a plan on both. Shows and never changes it.
class ProfileView : public QWidget {
    Q_OBJECT
public:
    explicit ProfileView(QWidget* parent = nullptr);

    /// Shows another profile, without a run.
    void setProfile(const LayerProfile& profile);
    /// Draws the stages of the run's plan; nullptr clears.
    void setRun(std::shared_ptr<const PlanRun> run);

    LayerTable* model() const { return model_; }
    QTableView* table() const { return table_; }
    LayerBars* bars() const { return bars_; }
    QLineEdit* filterField() const { return filterField_; }
    TotalsRow* totals() const { return totals_; }
    int selectedLayer() const;

public slots:
    void selectLayer(int layer);  ///< -1: none

signals:
    void layerSelected(int layer);  ///< -1: none

private:
    QWidget* buildTablePane();
    void filter(const QString& needle);
    void showTotals();
    void rowChosen();
    void announce();

    QStackedWidget* pages_;
    ProfileHeader* header_;
    LayerBars* bars_;
    LayerTable* model_;
    LayerFilter* filter_;
    QTableView* table_ = nullptr;
    TableColumns* columns_ = nullptr;
    TotalsRow* totals_ = nullptr;
    QLineEdit* filterField_ = nullptr;
    bool selecting_ = false;  ///< the table follows the bars just now
    int announced_ = -1;
};

}  // namespace stagecraft
