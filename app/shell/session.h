#pragma once

#include "app/rooms.h"
#include "views/common/theme.h"
#include "views/plan/plan_view.h"

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <QVariantMap>

namespace stagecraft::app::shell {

/// A person's choices, the same for all projects.
class Preferences {
public:
    static ThemeChoice theme();
    static void setTheme(ThemeChoice choice);
    /// Latest first, at most 12, only files that exist.
    static QStringList recentFiles();
    static void addRecentFile(const QString& path);
    /// "grid", "guides", "overview": whether the cluster's canvas has it; at first it does.
    static bool canvasHabit(const QString& name);
    static void setCanvasHabit(const QString& name, bool on);
    /// Whether plans that an edit makes out of date are planned again at once; at first they are not.
    static bool plansAgain();
    static void setPlansAgain(bool on);
    /// The folder whose programs are planners and schedule families beside the built-in ones; empty: none.
    /// Commands read it too.
    static QString programsFolder();
    static void setProgramsFolder(const QString& folder);
    static QByteArray windowGeometry();
    static void setWindowGeometry(const QByteArray& geometry);
};

/// How one project was last looked at. No part of the project: kept apart, by the project's path.
struct SessionState {
    QString tab;                              ///< Workbench::currentKey()
    QByteArray windowState;                   ///< docks
    std::vector<PlanViewState> plans;         ///< by index
    QVariantMap training;                     ///< TrainingPage::state()
    QVariantMap compare;                      ///< Workbench::compareState()
    std::vector<PlanViewState> recordings{};  ///< by index
    int recording = 0;                        ///< the one in view

    static SessionState load(const QString& projectPath);
    void save(const QString& projectPath) const;
};

}  // namespace stagecraft::app::shell
