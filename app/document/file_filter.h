#pragma once

#include "app/rooms.h"
#include "core/model/plan.h"
#include "core/model/problem.h"

#include <string>
#include <unordered_map>

namespace stagecraft::app::document {

/// Finds the plans that a file can hold. A file names devices by their ids, and of those that a plan names
/// some may be gone after an edit or share their id with another; such a plan stays in the window, in case
/// the edit is undone.
class FileFilter {
public:
    /// `problem` must outlive it.
    explicit FileFilter(const Problem& problem);
    bool canHold(const Plan& plan) const;

private:
    bool hasName(int device) const;

    const Problem& problem_;
    std::unordered_map<std::string, int> timesUsed_;  ///< by device id
};

}  // namespace stagecraft::app::document
