#pragma once

#include "core/base/rooms.h"

#include <functional>
#include <stdexcept>
#include <stop_token>
#include <string>

namespace stagecraft::base {

/// Thrown by work that was asked to stop: no error, and nothing to report.
struct Cancelled : std::runtime_error {
    Cancelled() : std::runtime_error("cancelled") {}
};

/// How long work reports its progress and learns that it should stop.
struct WorkContext {
    std::stop_token stop;
    std::function<void(double fraction)>
        progress;  ///< in [0, 1]; may be empty; called from the work's thread
    /// May be empty; a sentence on how far a long search is ("0.41 s, proven within 2 %").
    std::function<void(const std::string& sentence)> says = {};
    /// Asks a search that improves with time to settle for the best that it has.
    std::stop_token enough = {};

    void report(double fraction) const {
        if (progress) progress(fraction);
    }
    /// @throws Cancelled
    void throwIfStopped() const {
        if (stop.stop_requested()) throw Cancelled();
    }
};

}  // namespace stagecraft::base
