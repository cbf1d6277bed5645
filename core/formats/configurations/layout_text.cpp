#include "core/formats/configurations/layout_text.h"

#include "core/base/counted.h"
#include "core/base/text_parts.h"

#include <algorithm>
#include <charconv>

namespace stagecraft::formats {

namespace {

constexpr std::size_t mostLayoutLetters = 1 << 16;

struct Repetitions {
    int times = 0;
    std::size_t length = 0;  ///< of "*n"; 0: there is none
};

/// Of "*n" at this place.
Repetitions repetitionsAt(std::string_view text, std::size_t place, const StageComplaint& complain) {
    const std::size_t number = place + 1;
    if (place >= text.size() || text[place] != '*' || number == text.size() || text[number] < '0' ||
        text[number] > '9')
        return {};
    int times = 0;
    const auto read = std::from_chars(text.data() + number, text.data() + text.size(), times);
    if (read.ec != std::errc{}) complain("a number behind '*' in the layout is too large", "fewer layers");
    return {times, static_cast<std::size_t>(read.ptr - (text.data() + place))};
}

void addRepeated(std::string& letters, std::string_view part, int times, const StageComplaint& complain) {
    if (letters.size() + part.size() * static_cast<std::size_t>(times) > mostLayoutLetters)
        complain("the layout has more than 65,536 letters", "fewer layers");
    for (int i = 0; i < times; ++i) letters += part;
}

/// Each "(…)*n", whose brackets hold something and no ")", written out.
std::string withoutBrackets(std::string_view text, const StageComplaint& complain) {
    std::string letters;
    for (std::size_t place = 0; place < text.size(); ++place) {
        const std::size_t end = text[place] == '(' ? text.find(')', place) : std::string_view::npos;
        const bool isHeld = end != std::string_view::npos && end > place + 1;
        const Repetitions many = isHeld ? repetitionsAt(text, end + 1, complain) : Repetitions{};
        if (many.length == 0) {
            addRepeated(letters, text.substr(place, 1), 1, complain);
            continue;
        }
        addRepeated(letters, text.substr(place + 1, end - place - 1), many.times, complain);
        place = end + many.length;
    }
    return letters;
}

/// Each "x*n" written out.
std::string withoutStars(std::string_view text, const StageComplaint& complain) {
    std::string letters;
    for (std::size_t place = 0; place < text.size(); ++place) {
        const Repetitions many = repetitionsAt(text, place + 1, complain);
        addRepeated(letters, text.substr(place, 1), many.length > 0 ? many.times : 1, complain);
        place += many.length;
    }
    return letters;
}

void checkLetters(const std::string& letters, const StageComplaint& complain) {
    const std::size_t wrong = letters.find_first_not_of("EtmL|");
    if (wrong == std::string::npos) return;
    const std::string letter = letters.substr(wrong, 1);
    if (letter == "(" || letter == ")")
        complain("the layout's brackets do not match, hold nothing, or are not repeated",
                 "one ')' for each '(', none inside another, and *n behind each ')', such as (tt|)*3");
    if (letter == "*")
        complain("the layout has no number after '*', or nothing before it",
                 "a letter with a number of repetitions, such as t*3");
    complain("the layout has " + inQuotes(letter),
             "E (embedding), t (block), m (multi-token prediction), L (head with loss), | between stages, "
             "and x*n or (…)*n");
}

void checkOrder(const std::string& letters, const StageComplaint& complain) {
    std::string layers = letters;
    std::erase(layers, '|');
    if (!layers.starts_with('E') || std::ranges::count(layers, 'E') != 1)
        complain("the layout does not begin with its one embedding", "E first, and nowhere else");
    if (!layers.ends_with('L') || std::ranges::count(layers, 'L') != 1)
        complain("the layout does not end with its one head with the loss", "L last, and nowhere else");
    if (const std::size_t first = layers.find('m');
        first != std::string::npos && layers.find('t', first) != std::string::npos)
        complain("the layout has blocks behind layers of multi-token prediction",
                 "every t before the first m");
}

}  // namespace

std::vector<StageContent> pipelineLayout(const std::string& text, int ranks, const StageComplaint& complain) {
    constexpr const char* around = " \t\n'\"";
    const std::size_t first = text.find_first_not_of(around), last = text.find_last_not_of(around);
    std::string plain = first == std::string::npos ? "" : text.substr(first, last - first + 1);
    std::erase(plain, ',');
    const std::string letters = withoutStars(withoutBrackets(plain, complain), complain);
    checkLetters(letters, complain);
    checkOrder(letters, complain);
    std::vector<StageContent> stages(1);
    for (const char letter : letters) {
        if (letter == '|') stages.emplace_back();
        stages.back().blocks += letter == 't';
        stages.back().predictions += letter == 'm';
    }
    stages.front().embedding = true;
    stages.back().head = true;
    if (std::ssize(stages) % ranks != 0)
        complain("the layout has " + counted(std::ssize(stages), "stage") + " for " + counted(ranks, "rank"),
                 "a multiple of --pipeline-model-parallel-size");
    if (ranks == 1 && stages.size() > 1)
        complain("the layout has " + counted(std::ssize(stages), "stage") + " on one rank, interleaved",
                 "--pipeline-model-parallel-size of at least 2");
    if (const auto fault = predictionFault(stages, ranks))
        complain("the layout has " + fault->problem, fault->expected);
    return stages;
}

std::optional<LayoutFault> predictionFault(const std::vector<StageContent>& stages, int ranks) {
    std::vector<std::ptrdiff_t> found;
    for (std::ptrdiff_t stage = 0; stage < std::ssize(stages); ++stage)
        if (stages[static_cast<std::size_t>(stage)].predictions > 0) found.push_back(stage);
    if (found.empty()) return std::nullopt;
    const std::string layers = "layers of multi-token prediction in stage ";
    if (found.size() > 1)
        return LayoutFault{layers + std::to_string(found[0]) + " and in stage " + std::to_string(found[1]),
                           "all of them in one stage"};
    const std::ptrdiff_t lasts = std::ssize(stages) - ranks;
    if (found[0] >= lasts) return std::nullopt;
    return LayoutFault{layers + std::to_string(found[0]) + ", which is not the last of its rank",
                       "them in one of the stages " + std::to_string(lasts) + " to " +
                           std::to_string(std::ssize(stages) - 1)};
}

}  // namespace stagecraft::formats
