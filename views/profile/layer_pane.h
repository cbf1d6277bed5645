#pragma once

#include "core/model/layer_profile.h"
#include "core/model/plan.h"
#include "views/rooms.h"

#include <QWidget>

#include <optional>

class QLabel;
class QLineEdit;
class QTableView;
class QTimer;
class QToolButton;

namespace stagecraft::views::common {
class TableColumns;
}

namespace stagecraft::views::profile {

class LayerFilter;
class LayerTable;
class TotalsRow;

/// The table of layers with its filter above, its totals and a word on the chosen layers below.
class LayerPane : public QWidget {
    Q_OBJECT
public:
    explicit LayerPane(QWidget* parent = nullptr);

    /// @param another it is not an edit of the one shown: filter and widths start afresh
    void setProfile(const LayerProfile& profile, bool another);
    void setPlan(const std::optional<Plan>& plan);

    LayerTable* model() const { return model_; }
    QTableView* table() const { return table_; }
    QLineEdit* filterField() const { return filterField_; }
    QToolButton* oddButton() const { return odd_; }
    TotalsRow* totals() const { return totals_; }
    QString details() const;

    /// Ascending.
    std::vector<int> chosenLayers() const;
    void chooseLayers(const std::vector<int>& layers);
    /// Layer and column of the focused cell of the selection; -1 if nothing is selected.
    std::pair<int, int> currentCell() const;
    /// Of the cell that is drawn with the focus, selected or not.
    std::pair<int, int> focusedCell() const;

signals:
    /// The layer that the table is on, -1: none.
    void layerChosen(int layer);
    void chosenLayersChanged();
    void menuRequested(const QPoint& globalPosition);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeTable();
    void filter(const QString& needle);
    void showTotals();
    void showDetails();
    bool keepsSelection(QMouseEvent& press);

    LayerTable* model_;
    LayerFilter* filter_;
    QLineEdit* filterField_;
    QToolButton* odd_;
    QTableView* table_;
    TableColumns* columns_ = nullptr;
    TotalsRow* totals_ = nullptr;
    QLabel* details_;
    QTimer* narrow_;  ///< runs after a click into several chosen rows, until it is clear that it was not the
                      ///< first of two
    bool choosing_ = false;
};

}  // namespace stagecraft::views::profile
