#pragma once

#include "core/formats/formats.h"

#include <QObject>
#include <QString>

#include <variant>

namespace stagecraft {

/// A file that cannot be opened, in the words of the command line.
struct OpenFailure {
    QString file;
    QString place;    ///< JSON pointer or line; may be empty
    QString message;  ///< all of it: file, place, what is wrong, what was expected
};

using OpenedDocument = std::variant<OpenFailure, Project, PlanFile, ImportedProfile, Cluster>;

/// Reads any supported file. What it holds is told by its content; one whose content says nothing (cut short,
/// not JSON) gets the error of the format that its name promises.
OpenedDocument readDocument(const QString& path);

/// readDocument away from the GUI thread.
class DocumentOpener : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;
    void open(const QString& path);

signals:
    void opened(QString path, const OpenedDocument& document);
};

}  // namespace stagecraft
