#pragma once

#include "app/rooms.h"
#include "core/experiments/results.h"

#include <QString>
#include <QStringList>

namespace stagecraft::app::experiments {

/// How the names of experiments' files end.
inline const QString experimentSuffix = QStringLiteral(".experiment.json");

/// Files of custom experiments that the window lists, from one start to the next.
class CustomExperiments {
public:
    /// The newest first, all those that are kept among them; those that are gone are left out.
    static QStringList files();
    /// @param name what its experiment is called
    static void add(const QString& file, const QString& name);
    static void forget(const QString& file);
    /// What the experiment in a listed file is called.
    static QString nameOf(const QString& file);
    /// Where an experiment is kept that was not saved yet.
    static QString folder();
    static bool isKept(const QString& file);
    /// A file there that does not exist yet, by the experiment's name.
    static QString placeFor(const Experiment& experiment);
    /// Writes it there. @param before where it was kept, if it was; it takes that place. @throws InputError
    static QString keep(const Experiment& experiment, const QString& before);
    /// Gives the experiment of a file, or of results, another name there. @throws InputError
    static void rename(const QString& file, const QString& name);
};

}  // namespace stagecraft::app::experiments
