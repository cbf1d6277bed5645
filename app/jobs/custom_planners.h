#pragma once

#include "app/rooms.h"
#include "core/programs/programs_folder.h"
#include "views/common/job.h"

#include <QObject>

namespace stagecraft::app::jobs {

/// Reads the folder of custom planners in the background: each of its programs is started to describe itself.
class CustomPlanners : public QObject {
    Q_OBJECT

public:
    explicit CustomPlanners(QObject* parent = nullptr);
    /// @param folder empty: there are none any more
    void read(const QString& folder);

    /// What the folder holds that was read last.
    const ProgramsFolder& folder() const { return folder_; }

signals:
    /// addedPlanners() are those of the folder.
    void changed();

private:
    Job job_;
    ProgramsFolder folder_;
};

}  // namespace stagecraft::app::jobs
