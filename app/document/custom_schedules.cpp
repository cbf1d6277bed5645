#include "app/document/custom_schedules.h"

#include <QStandardPaths>

namespace stagecraft::app::document {

std::filesystem::path customSchedulesFolder() {
    // As AppDataLocation, which a command without an application does not know.
    const QString data = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
    return (data + QStringLiteral("/Stagecraft/Stagecraft/schedules")).toStdString();
}

}  // namespace stagecraft::app::document
