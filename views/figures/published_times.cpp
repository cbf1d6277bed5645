#include "views/figures/published_times.h"

#include "core/base/quantity.h"
#include "core/base/text_parts.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace stagecraft::views::figures {
namespace {

const std::string rangeDash = "\u2013", plusMinus = "\u00b1";

[[noreturn]] void refuseTime(const std::string& piece, const std::string& why) {
    throw std::invalid_argument("published times cannot have '" + piece + "': " + why +
                                "; expected PLAN=TIME, PLAN=TIME " + plusMinus + " TIME or PLAN=TIME (TIME" +
                                rangeDash + "TIME), such as SPP=531 ms");
}

double secondsOf(std::string_view text, const std::string& piece) {
    try {
        return base::parseQuantity(base::Quantity::seconds, std::string(base::trimmed(text)));
    } catch (const std::invalid_argument& error) {
        refuseTime(piece, error.what());
    }
}

/// "(580 ms–640 ms)", with that dash or a hyphen.
std::pair<double, double> rangeOf(const std::string& text, const std::string& piece) {
    std::size_t dash = text.find(rangeDash), size = rangeDash.size();
    if (dash == std::string::npos) dash = text.find('-'), size = 1;
    if (dash == std::string::npos || text.back() != ')') refuseTime(piece, "the range has no two ends");
    return {secondsOf(text.substr(1, dash - 1), piece),
            secondsOf(text.substr(dash + size, text.size() - dash - size - 1), piece)};
}

PublishedTime timeFrom(const std::string& piece) {
    const std::size_t equals = piece.rfind('=');
    if (equals == std::string::npos) refuseTime(piece, "there is no =");
    PublishedTime time;
    time.plan = base::trimmed(piece.substr(0, equals));
    const std::string value(base::trimmed(piece.substr(equals + 1)));
    const std::size_t around = value.find(plusMinus), range = value.find('(');
    time.timeS = secondsOf(value.substr(0, std::min(around, range)), piece);
    time.leastS = time.mostS = time.timeS;
    if (around != std::string::npos) {
        const double spread = secondsOf(value.substr(around + plusMinus.size()), piece);
        time.leastS = std::max(0.0, time.timeS - spread);
        time.mostS = time.timeS + spread;
    } else if (range != std::string::npos) {
        std::tie(time.leastS, time.mostS) = rangeOf(value.substr(range), piece);
        if (time.leastS > time.timeS || time.mostS < time.timeS)
            refuseTime(piece, "the time is outside of its range");
    }
    return time;
}

}  // namespace

std::vector<PublishedTime> publishedTimes(const std::string& text) {
    std::vector<PublishedTime> times;
    if (base::trimmed(text).empty()) return times;
    for (const std::string_view piece : base::cellsOf(text, '|'))
        times.push_back(timeFrom(std::string(piece)));
    return times;
}

}  // namespace stagecraft::views::figures
