#pragma once

#include "app/rooms.h"
#include "core/base/number_style.h"
#include "core/model/setup_fields.h"
#include "views/common/theme.h"
#include "views/plan/plan_view.h"

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <QVariantMap>

#include <optional>

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
    /// The folder in which "Open lesson" begins; empty: wherever the last file was.
    static QString lessonsFolder();
    static void setLessonsFolder(const QString& folder);
    /// Of the window's text, percent of the system's.
    static int textPercent();
    static void setTextPercent(int percent);
    /// How the window writes numbers. Commands and figures write them alike for everybody.
    static NumberStyle numbers();
    static void setNumbers(const NumberStyle& style);
    /// The id of the planner that is chosen at first; empty: all of them.
    static QString planner();
    static void setPlanner(const QString& id);
    /// The setup with the fields that the person has chosen for new projects.
    static TrainingSetup setupOfNew(TrainingSetup setup);
    /// What a project starts with that is made in the window.
    static Problem startingProblem();
    /// One of setupFields() of new projects; nothing: as the program has it.
    static std::optional<ParameterValue> newField(const SetupField& field);
    static void setNewField(const SetupField& field, const std::optional<ParameterValue>& value);
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
