#pragma once

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

namespace stagecraft {

/// What Megatron-LM makes of a layout, stated anew.
struct MegatronLayout {
    std::vector<std::string> stages;  ///< letters of each, "" where it is empty
    std::string objection;            ///< empty: it is taken

    std::string letters() const {
        std::string all;
        for (const std::string& stage : stages) all += stage;
        return all;
    }
};

/// One pass of Python's re.sub(pattern, lambda x: x.group(1) * int(x.group(2)), text).
inline std::string megatronRepeated(const std::string& text, const std::string& pattern) {
    const std::regex wanted(pattern);
    std::string made;
    auto rest = text.begin();
    for (std::sregex_iterator found(text.begin(), text.end(), wanted), none; found != none; ++found) {
        made.append(rest, (*found)[0].first);
        for (int i = 0; i < std::stoi((*found)[2]); ++i) made += (*found)[1];
        rest = (*found)[0].second;
    }
    return made.append(rest, text.end());
}

/// core/transformer/pipeline_parallel_layer_layout.py at 00caa53: parse_str_to_list, __init__ and
/// validate_layer_layout, of a model that has the layout's layers; and what parallel_state.py asks of
/// interleaving.
inline MegatronLayout megatronLayout(std::string text, int ranks) {
    MegatronLayout made;
    std::erase(text, ',');
    text = megatronRepeated(text, R"(\(([^)]+)\)\*(\d+))");
    text = megatronRepeated(text, R"((.)\*(\d+))");
    std::string& objection = made.objection;
    if (text.find_first_not_of("EtmL|") != std::string::npos) objection = "invalid layer character";
    made.stages.emplace_back();
    for (const char letter : text)
        if (letter == '|')
            made.stages.emplace_back();
        else
            made.stages.back() += letter;
    const int count = static_cast<int>(made.stages.size());
    if (count % ranks != 0) objection = "must be divisible by pipeline_model_parallel_size";
    if (ranks == 1 && count > 1) objection = "greater than 1 with interleaved schedule";
    const std::string flat = made.letters();
    if (flat.empty() || flat.front() != 'E') objection = "the first layer must be embedding";
    if (flat.empty() || flat.back() != 'L') objection = "the last layer must be loss";
    if (std::ranges::count(flat, 'E') != 1) objection = "embedding must be specified exactly once";
    if (std::ranges::count(flat, 'L') != 1) objection = "loss must be specified exactly once";
    const std::size_t first = flat.find('m');
    if (first != std::string::npos && flat.find('t', first) != std::string::npos)
        objection = "decoder layers must be placed before MTP layers";
    for (int stage = 0; stage < count; ++stage) {
        const auto own = std::ranges::count(made.stages[static_cast<std::size_t>(stage)], 'm');
        if (own == 0) continue;
        if (stage / ranks + 1 < count / ranks) objection = "in the last virtual pipeline stage of that rank";
        if (own != std::ranges::count(flat, 'm')) objection = "in the same one virtual pipeline stage";
    }
    return made;
}

}  // namespace stagecraft
