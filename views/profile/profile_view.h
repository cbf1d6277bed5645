#pragma once

#include "core/formats/native/formats.h"
#include "core/planners/plan_run.h"

#include <QWidget>

#include <functional>
#include <memory>

class QLabel;
class QLineEdit;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace stagecraft {

class ImportNotes;
class LayerBars;
class LayerCurves;
class LayerPane;
class LayerScatter;
class LayerTable;
class NetworkView;
class OperationBar;
class ProfileHeader;
class SizeBar;
class TotalsRow;
enum class ProfileNumbers;

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
    LayerPane* pane() const { return pane_; }
    LayerBars* bars() const { return bars_; }
    LayerCurves* curves() const { return curves_; }
    LayerScatter* scatter() const { return scatter_; }
    NetworkView* network() const { return network_; }
    SizeBar* sizes() const { return sizes_; }
    ImportNotes* importNotes() const { return notes_; }

    int selectedLayer() const;
    std::vector<int> chosenLayers() const;
    /// What can be done with the chosen layers now.
    bool canEdit() const;
    bool canMerge() const;
    bool canSplit() const;
    bool hasNodes() const;
    bool canMakeFinest() const;

public slots:
    void selectLayer(int layer);  ///< -1: none

    // Operations on the chosen layers. Scaling without chosen ones is for all.
    void askFactor();
    void askCopies();
    void insertLayer();  ///< after the chosen ones, else at the end
    void deleteChosen();
    void mergeChosen();
    void splitChosen();
    void regroup();
    void makeFinest();
    void copyChosen();
    void paste();
    void pasteAsNew();

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
    void onValueEntered(int layer, int column, const QString& text);
    void scale(ProfileNumbers numbers, double factor);
    void repeat(int copies);
    /// Asks for what `made` gives, or says why it cannot be; then chooses these layers.
    void edit(const QString& text, const std::function<LayerProfile()>& made, std::vector<int> choose = {});
    void complain(const QString& text);
    /// "layer 3" or "4 layers".
    QString chosenText() const;

    LayerProfile profile_;  ///< the document's; what is shown may be of another microbatch size
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
    std::vector<int> chooseNext_;  ///< once the edit that was asked for is shown
    int announced_ = -1;
};

}  // namespace stagecraft
