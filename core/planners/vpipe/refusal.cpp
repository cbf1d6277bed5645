#include "core/planners/vpipe/refusal.h"

#include "core/base/counted.h"
#include "core/base/units.h"

#include <iomanip>
#include <locale>
#include <sstream>

namespace stagecraft::planners::vpipe {

std::pair<std::string, std::string> distinctBytes(double needed, double limit) {
    if (formatBytes(needed) != formatBytes(limit)) return {formatBytes(needed), formatBytes(limit)};
    const auto bytes = [](double value, int digits) {
        std::ostringstream text;
        text.imbue(std::locale::classic());
        text << std::setprecision(digits) << value << " B";
        return text.str();
    };
    int digits = 6;
    while (digits < 17 && bytes(needed, digits) == bytes(limit, digits)) ++digits;
    return {bytes(needed, digits), bytes(limit, digits)};
}

std::string refusalOf(const SearchResult& found, const Settings& settings) {
    const bool anyPartition = settings.parts == Parts::full;
    const auto [needed, limit] = distinctBytes(found.neededBytes, found.limitBytes);
    const std::string stage = "stage " + std::to_string(found.lackingStage);
    if (found.simulated == 0) {
        const std::string needs = stage + " needs " + needed +
                                  " at least, whatever is swapped and recomputed; its limit is " + limit;
        if (!anyPartition) return needs;
        return "no partition into " + counted(static_cast<long long>(found.stages.size()), "stage") +
               " fits; in the one that comes closest " + needs;
    }
    const std::string simulated = counted(found.simulated, "plan");
    const std::string holds = stage + " holds " + needed + " at its peak; its limit is " + limit;
    if (!found.complete)
        return "nothing that fits was found within " + simulated +
               ", which are not all that there are; in the one that came closest " + holds;
    return std::string(anyPartition ? "no partition with any choice" : "no choice") +
           " of swapping and recomputing fits; of the " + simulated +
           " that might have, in the one that came closest " + holds;
}

}  // namespace stagecraft::planners::vpipe
