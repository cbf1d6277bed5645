#pragma once

#include "core/model/problem.h"
#include "core/model/timeline.h"
#include "core/validation/violation.h"

#include <array>
#include <string>
#include <vector>

namespace stagecraft::validation {

/// Collects violations, at most `limit` of each rule.
class Report {
public:
    explicit Report(std::size_t limit) : limit_(limit) {}

    /// `message` is called only if it will be kept, so that a timeline of a million wrong blocks costs no
    /// strings.
    template <typename Message>
    void add(Rule rule, std::uint32_t block, Message&& message) {
        std::size_t& count = counts_[static_cast<std::size_t>(rule)];
        if (count >= limit_) return;
        ++count;
        violations_.push_back({rule, message(), block});
    }
    bool empty() const { return violations_.empty(); }
    std::vector<Violation> take() { return std::move(violations_); }

private:
    std::size_t limit_;
    std::array<std::size_t, static_cast<std::size_t>(Rule::periodicPattern) + 1> counts_{};
    std::vector<Violation> violations_;
};

/// How far two instants may be apart and still count as the same: sums of many durations round.
double slackAt(double seconds);
inline bool isBefore(double a, double b) { return a < b - slackAt(b); }

/// How far apart, in parts of itself, rounding may have put one instant that was reached by adding up the
/// same durations in two orders: each sum rounds once a block, and no chain has more blocks than the lanes
/// show.
double roundingOf(const Timeline& timeline);

/// Nine significant digits: two instants that differ must read differently.
std::string seconds(double value);
std::string bytes(double value);
/// "device s0g0" or "devices s0g0, s0g1"; long lists are cut short.
std::string deviceNames(const Problem& problem, const std::vector<int>& devices);
/// "forward of microbatch 3 on stage 2 (iteration 0, device s0g2)".
std::string blockName(const Problem& problem, const Timeline& timeline, std::uint32_t block);

}  // namespace stagecraft::validation
