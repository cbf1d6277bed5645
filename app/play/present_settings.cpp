#include "app/play/present_settings.h"

#include <QSettings>

#include <algorithm>
#include <iterator>

namespace stagecraft::app {

namespace {
const QString presentGroup = QStringLiteral("present");
}

PresentChoice loadPresentChoice() {
    QSettings settings;
    settings.beginGroup(presentGroup);
    PresentChoice choice;
    const int points = settings.value("typePoints", choice.typePoints).toInt();
    if (std::count(std::begin(presentedPoints), std::end(presentedPoints), points) > 0)
        choice.typePoints = points;
    choice.memory = settings.value("memory", choice.memory).toBool();
    choice.cluster = settings.value("cluster", choice.cluster).toBool();
    return choice;
}

void savePresentChoice(const PresentChoice& choice) {
    QSettings settings;
    settings.beginGroup(presentGroup);
    settings.setValue("typePoints", choice.typePoints);
    settings.setValue("memory", choice.memory);
    settings.setValue("cluster", choice.cluster);
}

}  // namespace stagecraft::app
