#include "app/jobs/custom_planners.h"

namespace stagecraft::app::jobs {

CustomPlanners::CustomPlanners(QObject* parent) : QObject(parent) {}

void CustomPlanners::read(const QString& folder) {
    job_.start([folder = folder.toStdString()](
                   const JobContext& context) { return readProgramsFolder(folder, context); },
               [this](ProgramsFolder read) {
                   folder_ = std::move(read);
                   emit changed();
               });
}

}  // namespace stagecraft::app::jobs
