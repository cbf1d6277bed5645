#pragma once

#include "app/actions/action_register.h"
#include "app/shell/workbench.h"

namespace stagecraft::views::topology {
class ClusterEditor;
class TopologyCanvas;
class TopologyView;
}  // namespace stagecraft::views::topology

namespace stagecraft::app::shell {

/// What can be done on the canvas of the cluster, as actions: for menus, palette, help and keys. The keys are
/// those of the canvas alone, so that they leave fields and lists their own.
class ClusterActions : public QObject {
    Q_OBJECT

public:
    ClusterActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench, QObject* parent);

private:
    /// @param enabledWhen asked while the cluster is in view, where alone it can be done
    QAction* add(const ActionSpec& spec, std::function<void()> handler,
                 std::function<bool()> enabledWhen = {});
    bool inView() const;
    void addEditing();
    void addParts();
    void addLinkRates();
    void addSelecting();
    void addArranging();
    void addViewing();
    void addFolding();
    QAction* addHabit(const ActionSpec& spec, const QString& name, std::function<void(bool)> apply);
    void showMenu(const QPoint& globalPosition);

    ActionRegister& actions_;
    Workspace& workspace_;
    Workbench& workbench_;
    TopologyView& view_;
    TopologyCanvas& canvas_;
    ClusterEditor& editor_;
};

}  // namespace stagecraft::app::shell
