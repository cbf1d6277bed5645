#pragma once

#include "app/actions/action_register.h"
#include "app/shell/workbench.h"

namespace stagecraft::views::profile {
class ProfileEditor;
}

namespace stagecraft::app::shell {

/// What can be done with the layers of the profile, as actions: for menus, palette, help and keys. The keys
/// are those of the profile's view alone. Made after the actions of the cluster, with which it shares those
/// of the Edit menu.
class ProfileActions : public QObject {
    Q_OBJECT

public:
    ProfileActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench, QObject* parent);

    /// Of a file of the same layers, measured on that type; a complaint in the profile's view where it cannot
    /// be.
    void addTimesOn(const QString& gpu, const QString& path);

private:
    using Operation = void (ProfileEditor::*)();
    /// @param enabledWhen asked while the profile is in view, where alone it can be done
    void add(const ActionSpec& spec, Operation operation, std::function<bool()> enabledWhen);
    /// An action that is another view's too.
    void share(const char* id, Operation operation, std::function<bool()> enabledWhen);
    void addCharts();
    void addSequences();
    void addWords();
    void addOtherGpu();
    /// Asks for a file of the same layers and for the type of GPU that they were measured on.
    void askTimesOnGpu();
    bool inView() const;
    std::function<bool()> inViewAnd(std::function<bool()> enabledWhen) const;
    void showMenu(const QPoint& globalPosition);

    ActionRegister& actions_;
    Workspace& workspace_;
    Workbench& workbench_;
    ProfileView& view_;
};

}  // namespace stagecraft::app::shell
