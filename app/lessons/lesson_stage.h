#pragma once

#include "app/rooms.h"
#include "core/formats/files/project_file.h"
#include "core/lessons/lesson.h"
#include "core/runs/plan_run.h"

#include <QObject>

#include <memory>
#include <string>
#include <vector>

namespace stagecraft::app::lessons {

/// Something that a step says it shows and the window does not.
struct Unshown {
    std::string field;  ///< of WindowSetting, as files name it
    std::string why;    ///< what the window shows instead, or what is missing: "the chart ends at 33.0 ms"
};

/// The window as a lesson sees it: what a step sets, and what a person does.
class LessonStage : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// @return false if a person would rather keep what is open
    virtual bool open(const Project& project) = 0;
    /// Everything but the sample.
    virtual void show(const WindowSetting& setting) = 0;
    /// Whether all that the deed names but its action is so now.
    virtual bool holds(const Deed& deed) const = 0;
    /// The block that is selected in the chart in view, in words; empty: none is.
    virtual QString selectedBlock() const = 0;
    /// What of the setting is not to be seen, once the window has settled.
    virtual std::vector<Unshown> unshown(const WindowSetting& setting) const = 0;
    /// Whether nothing that was to be shown is being waited for.
    virtual bool isSettled() const = 0;
    virtual bool hasAction(const std::string& id) const = 0;
    /// Of the plan in view, simulated; null while there is none.
    virtual std::shared_ptr<const PlanRun> runInView() const = 0;
    /// Adds it and shows it.
    virtual void addPlan(const Plan& plan) = 0;

signals:
    /// Something that a lesson may wait for may have changed.
    void changed();
    void actionDone(const QString& id);
};

}  // namespace stagecraft::app::lessons
