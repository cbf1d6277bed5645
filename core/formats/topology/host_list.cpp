#include "core/formats/topology/host_list.h"

#include "core/base/text_parts.h"

namespace stagecraft::formats {

namespace {

/// At commas outside of brackets; nothing if brackets are not in pairs.
std::vector<std::string_view> partsOf(std::string_view list) {
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t from = 0;
    for (std::size_t at = 0; at <= list.size(); ++at) {
        if (at == list.size() || (list[at] == ',' && depth == 0)) {
            parts.push_back(trimmed(list.substr(from, at - from)));
            from = at + 1;
        } else if (list[at] == '[') {
            ++depth;
        } else if (list[at] == ']' && --depth < 0) {
            return {};
        }
    }
    return depth == 0 ? parts : std::vector<std::string_view>{};
}

/// "001-003" or "7", with as many digits as the first has.
bool appendRange(std::vector<std::string>& numbers, std::string_view range, std::size_t most) {
    const std::size_t dash = range.find('-');
    const std::string_view low = range.substr(0, dash);
    const auto first = wholeInteger(low);
    const auto last = dash == std::string_view::npos ? first : wholeInteger(range.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first ||
        static_cast<std::size_t>(*last) - static_cast<std::size_t>(*first) >= most)
        return false;
    for (int number = *first; number <= *last; ++number) {
        std::string digits = std::to_string(number);
        if (digits.size() < low.size()) digits.insert(0, low.size() - digits.size(), '0');
        numbers.push_back(std::move(digits));
    }
    return numbers.size() <= most;
}

bool appendHosts(std::vector<std::string>& hosts, std::string_view part, std::size_t most) {
    constexpr std::size_t mostBrackets = 4;
    std::vector<std::string> names = {""};
    for (std::size_t bracket = 0; !part.empty(); ++bracket) {
        const std::size_t open = part.find('['), close = part.find(']');
        for (std::string& name : names) name += part.substr(0, open);
        if (open == std::string_view::npos) break;
        if (close == std::string_view::npos || close < open || bracket == mostBrackets) return false;
        std::vector<std::string> numbers;
        for (const std::string_view range : cellsOf(part.substr(open + 1, close - open - 1), ','))
            if (!appendRange(numbers, range, most)) return false;
        if (names.size() * numbers.size() > most) return false;
        std::vector<std::string> longer;
        for (const std::string& name : names)
            for (const std::string& number : numbers) longer.push_back(name + number);
        names = std::move(longer);
        part.remove_prefix(close + 1);
    }
    hosts.insert(hosts.end(), names.begin(), names.end());
    return hosts.size() <= most;
}

}  // namespace

std::vector<std::string> hostsIn(std::string_view list, std::size_t most) {
    std::vector<std::string> hosts;
    for (const std::string_view part : partsOf(list))
        if (part.empty() || !appendHosts(hosts, part, most)) return {};
    return hosts;
}

}  // namespace stagecraft::formats
