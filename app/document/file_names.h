#pragma once

#include "app/rooms.h"
#include "core/model/recorded_files.h"

#include <QRegularExpression>
#include <QString>

namespace stagecraft::app::document {

/// What is suggested as the name of a file: the title without what file systems refuse, and without marks at
/// its end or before another: "SPP (Fig. 2)" is "SPP-Fig-2".
inline QString fileNameOf(QString title) {
    title.replace(QRegularExpression(QStringLiteral("[^\\w.+-]+")), QStringLiteral("-"));
    title.replace(QRegularExpression(QStringLiteral("[.-]*-[.-]*")), QStringLiteral("-"));
    title.remove(QRegularExpression(QStringLiteral("^[.-]+|[.-]+$")));
    return title.isEmpty() ? QStringLiteral("project") : title;
}

/// What a recording is called where it is not read: by its file, or the folder of its files.
QString titleOfRecording(const RecordedFiles& recording);

// What dialogues offer when files are opened, by the formats that are known: "Layer profiles (*.json …);;All
// files (*)". A format that is added is offered without a change here.

QString profileFilter();
QString clusterFilter();
/// Of everything that can be opened.
QString anyFilter();

}  // namespace stagecraft::app::document
