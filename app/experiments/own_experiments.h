#pragma once

#include "core/experiments/results.h"

#include <QString>
#include <QStringList>

namespace stagecraft {

/// Files of a person's experiments that the window lists, from one start to the next.
class OwnExperiments {
public:
    /// The newest first; those that are gone are left out.
    static QStringList files();
    static void add(const QString& file);
    static void forget(const QString& file);
    /// Where an experiment is kept that was run before it was saved.
    static QString folder();
    static bool isKept(const QString& file);
    /// Writes it there under its name. @param before where it was kept, if it was; it takes that place
    /// @throws InputError
    static QString keep(const Experiment& experiment, const QString& before);
};

/// Results that a text holds, or an experiment with nothing run. @throws InputError
ExperimentResults readExperimentOrResults(const std::string& text, const std::string& path);

}  // namespace stagecraft
