#pragma once

#include "core/formats/native/formats.h"
#include "core/runs/plan_run.h"
#include "views/rooms.h"

#include <QWidget>

#include <memory>

class QLabel;
class QLineEdit;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace stagecraft::views::profile {

class ImportNotes;
class LayerBars;
class LayerCurves;
class LayerPane;
class LayerScatter;
class LayerTable;
class NetworkView;
class OperationBar;
class ProfileEditor;
class ProfileHeader;
class SizeBar;
class TotalsRow;

/// A layer profile as charts over a table, with the stages of a plan on both. Shows and never changes it:
/// what a person changes is asked for by profileEdited().
class ProfileView : public QWidget {
    Q_OBJECT
public:
    enum class Chart { bars, curves, scatter, graph };

    explicit ProfileView(QWidget* parent = nullptr);
    ~ProfileView() override;

    /// Shows another state of the profile, or another profile if `another`, without a plan.
    void setProfile(const LayerProfile& profile, bool another = true);
    /// Draws the stages of the plan if it is one of the layers shown.
    void setPlan(const std::optional<Plan>& plan);
    /// As setPlan with the run's plan; nullptr clears.
    void setRun(std::shared_ptr<const PlanRun> run);
    /// What the import of the profile had to say; stays until it is closed or another one comes.
    void showImportNotes(const QString& file, const std::vector<ImportNote>& notes);

    void showChart(Chart chart);
    Chart chart() const;
    /// The graph is for networks that are more than a chain of layers.
    bool canShow(Chart chart) const;

    LayerTable* model() const;
    QTableView* table() const;
    QLineEdit* filterField() const;
    TotalsRow* totals() const;
    /// What is done with the chosen layers.
    ProfileEditor& editor() const { return *editor_; }
    LayerPane* pane() const { return pane_; }
    LayerBars* bars() const { return bars_; }
    LayerCurves* curves() const { return curves_; }
    LayerScatter* scatter() const { return scatter_; }
    NetworkView* network() const { return network_; }
    SizeBar* sizes() const { return sizes_; }
    ImportNotes* importNotes() const { return notes_; }

    int selectedLayer() const;
    std::vector<int> chosenLayers() const;

public slots:
    void selectLayer(int layer);  ///< -1: none

    /// Shown above the layers until the next change.
    void complain(const QString& text);

signals:
    void layerSelected(int layer);  ///< -1: none
    void chosenLayersChanged();
    /// A person asks for this profile instead of the one shown; `text` is the name of the step, and edits in
    /// a row with the same mergeKey (if any) are to be one step.
    void profileEdited(const LayerProfile& after, const QString& text, const QString& mergeKey);
    void menuRequested(const QPoint& globalPosition);

private:
    QWidget* buildPage();
    QLayout* buildSwitch();
    void connectParts();
    void showShown(bool another);
    void updateSwitch();
    void updateChosen();
    /// In all charts.
    void markLayer(int layer);

    std::optional<Plan> plan_;
    QStackedWidget* pages_;
    ProfileHeader* header_;
    ImportNotes* notes_;
    SizeBar* sizes_;
    QStackedWidget* charts_;
    std::vector<QToolButton*> chartButtons_;
    LayerBars* bars_;
    LayerCurves* curves_;
    LayerScatter* scatter_;
    NetworkView* network_;
    OperationBar* operations_;
    LayerPane* pane_;
    QLabel* complaint_;
    ProfileEditor* editor_;
    int announced_ = -1;
};

}  // namespace stagecraft::views::profile
