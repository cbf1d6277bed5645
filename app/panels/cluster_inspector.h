#pragma once

#include "app/document/workspace.h"
#include "core/editing/cluster_edit.h"

#include <QWidget>

#include <map>

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace stagecraft::app::panels {

struct ClusterField;

/// The numbers of everything that is chosen in the cluster, edited at once with units as people write them;
/// with nothing chosen the cluster as a whole: its name, totals, and what was assumed about it.
class ClusterInspector : public QWidget {
    Q_OBJECT
public:
    explicit ClusterInspector(Workspace& workspace, QWidget* parent = nullptr);
    ~ClusterInspector() override;

    void setSelection(const ClusterPart& selection);
    /// The field that one most likely wants to change: a link's bandwidth, else the first that is shown.
    void focusFirst();
    /// Why two GPUs that are selected reach each other as fast as they do, as rich text; empty: nothing.
    void setReason(const QString& html);

signals:
    /// The link in the reason was followed.
    void changeWanted();

private:
    struct Row {
        const ClusterField* field = nullptr;
        QLineEdit* line = nullptr;
        QComboBox* box = nullptr;  ///< around the line, where there are suggestions
        QLabel* error = nullptr;
        QString shown;  ///< what the line said before a person typed
    };
    QWidget* makeFields(int of);
    QWidget* makeOverview();
    QWidget* fieldFor(Row& row);
    void show();
    void showRow(Row& row);
    void showSources();
    void showOverview();
    void suggest();
    void apply(Row& row);
    void applyName();
    void useDerivedRate();
    void showError(Row& row, const QString& message);
    ClusterPart known() const;  ///< of the selection what is there

    Workspace& workspace_;
    ClusterPart selection_;
    QLabel* heading_;
    QLabel* detail_;
    QLabel* reason_;
    QWidget* sections_[3] = {};  ///< by ClusterField::Of
    QLabel* titles_[3] = {};
    std::map<std::string, Row> rows_;
    QLabel* sources_ = nullptr;
    QPushButton* useDerived_ = nullptr;  ///< where a measurement can be taken back
    QWidget* overview_ = nullptr;
    QLineEdit* name_ = nullptr;
    QLabel* totals_ = nullptr;
    QLabel* assumptions_ = nullptr;
    bool showing_ = false;
};

}  // namespace stagecraft::app::panels
