#pragma once

#include "app/rooms.h"

#include <QString>
#include <QVariant>

#include <functional>
#include <vector>

namespace stagecraft::app::preferences {

/// One of the values that a preference may have.
struct PreferenceChoice {
    QString label;
    QVariant value;
};

/// Something that a person decides once, for all projects: a row of the preferences. Whoever acts on it
/// describes it; the rows, the search and the way back to the beginning follow.
struct Preference {
    QString id;     ///< "theme": never changes, for tests
    QString group;  ///< its heading
    QString label;
    QString help;                           ///< a sentence or two
    std::vector<PreferenceChoice> choices;  ///< empty: a whole number, or a folder
    int least = 0, most = 0;                ///< of a number; both 0: it is a folder
    int step = 1;
    QString suffix;     ///< of a number: " %"
    QVariant standard;  ///< what it is until somebody chooses
    std::function<QVariant()> value;
    /// Keeps the value and has it act. Called with values that the row can have alone.
    std::function<void(const QVariant&)> apply;

    bool isFolder() const { return choices.empty() && least == most; }
};

}  // namespace stagecraft::app::preferences
