#pragma once

#include "core/validation/checks.h"

namespace stagecraft::validation {

/// When the links to host memory pause because a transfer that leaves the server uses them (vPipe Sec.
/// 4.2): a transfer or AllReduce among devices of several servers uses those of all of them.
class HostLinks {
public:
    explicit HostLinks(const Context& context);

    /// Seconds between two instants in which no swap of these devices, which work together, gets on.
    double heldUpS(const std::vector<int>& devices, double startS, double endS) const;

private:
    struct Span {
        double startS, endS;
    };
    std::vector<Span> spansOf(const std::vector<int>& devices, double startS, double endS) const;

    std::vector<std::vector<Span>> crossing_;  // by device, in order of start
};

}  // namespace stagecraft::validation
