#pragma once

#include "app/actions/action_register.h"
#include "app/shell/workbench.h"

namespace stagecraft {

/// What can be done with the layers of the profile, as actions: for menus, palette, help and keys. The keys
/// are those of the profile's view alone. Made after the actions of the cluster, with which it shares those
/// of the Edit menu.
class ProfileActions : public QObject {
    Q_OBJECT

public:
    ProfileActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench, QObject* parent);

private:
    using Operation = void (ProfileView::*)();
    /// @param enabled asked whenever anything changes, while the profile is in view
    void add(const ActionSpec& spec, Operation operation, std::function<bool()> enabled);
    /// An action that is another view's too.
    void share(const char* id, Operation operation, std::function<bool()> enabled);
    void addCharts();
    bool inView() const;
    void update();
    void showMenu(const QPoint& globalPosition);

    struct Own {
        QAction* action;
        std::function<bool()> enabled;
        bool isShared = false;
    };
    ActionRegister& actions_;
    Workspace& workspace_;
    Workbench& workbench_;
    ProfileView& view_;
    std::vector<Own> own_;
};

}  // namespace stagecraft
