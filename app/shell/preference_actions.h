#pragma once

#include "app/actions/action_register.h"
#include "app/preferences/preference.h"

class QMainWindow;

namespace stagecraft::app::shell {

class PlannerActions;
class WindowPanels;

/// The page of preferences, and what each of them does in the window.
class PreferenceActions : public QObject {
    Q_OBJECT

public:
    PreferenceActions(ActionRegister& actions, PlannerActions& planners, WindowPanels& panels,
                      QMainWindow& window);

    /// All of them, in the order of the page.
    std::vector<Preference> preferences() const;

private:
    void open();
    Preference theme() const;
    Preference textSize() const;
    Preference byteUnit() const;
    Preference figures() const;
    Preference planner() const;
    Preference planningAgain() const;
    Preference newSetupField(const std::string& name) const;
    Preference customFolder() const;
    Preference lessonsFolder() const;

    ActionRegister& actions_;
    PlannerActions& planners_;
    WindowPanels& panels_;
    QMainWindow& window_;
};

}  // namespace stagecraft::app::shell
