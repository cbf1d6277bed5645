#include "core/formats/recordings/annotated_pass.h"

#include "core/base/text_parts.h"
#include "core/formats/pass_text.h"

#include <algorithm>
#include <string>

namespace stagecraft::formats {

namespace {

constexpr std::string_view runtimePrefix = "PP:";
constexpr std::string_view pairSuffix = "OVERLAP_F_B";
constexpr int mostNamedStages = 65536;

/// "2F0"; the letter of an update is none.
std::optional<AnnotatedPass> actionOf(std::string_view text) {
    AnnotatedPass pass;
    const auto stage = takeCount(text);
    if (!stage || *stage >= mostNamedStages || text.empty()) return std::nullopt;
    pass.stage = *stage;
    if (text == "UPDATE") {
        pass.kind = BlockKind::update;
        return pass;
    }
    constexpr std::pair<char, BlockKind> letters[] = {{'F', BlockKind::forward},
                                                      {'B', BlockKind::backward},
                                                      {'I', BlockKind::inputGradient},
                                                      {'W', BlockKind::weightGradient}};
    const auto* letter = std::find_if(std::begin(letters), std::end(letters),
                                      [&](const auto& each) { return each.first == text.front(); });
    if (letter == std::end(letters)) return std::nullopt;
    text.remove_prefix(1);
    const auto microbatch = takeCount(text);
    if (!microbatch || !text.empty()) return std::nullopt;
    pass.kind = letter->second;
    pass.microbatch = *microbatch;
    return pass;
}

/// "(0F7;7B3)OVERLAP_F_B"
std::optional<AnnotatedPass> pairOf(std::string_view text) {
    const std::size_t middle = text.find(';'), end = text.find(')');
    if (!text.starts_with('(') || middle == std::string_view::npos || end == std::string_view::npos ||
        middle > end || text.substr(end + 1) != pairSuffix)
        return std::nullopt;
    const auto forward = actionOf(text.substr(1, middle - 1));
    const auto backward = actionOf(text.substr(middle + 1, end - middle - 1));
    if (!forward || !backward || forward->kind != BlockKind::forward || backward->kind != BlockKind::backward)
        return std::nullopt;
    return AnnotatedPass{BlockKind::pair, forward->stage, forward->microbatch, backward->stage,
                         backward->microbatch};
}

std::optional<AnnotatedPass> numbered(std::string_view name, std::string_view word, BlockKind kind) {
    if (!name.starts_with(word)) return std::nullopt;
    name.remove_prefix(word.size());
    const auto microbatch = takeCount(name);
    if (!microbatch || !name.empty()) return std::nullopt;
    return AnnotatedPass{kind, -1, *microbatch};
}

}  // namespace

bool mayNamePass(std::string_view name) {
    return name.starts_with(runtimePrefix) || name.starts_with("Forward ") || name.starts_with("Backward ") ||
           name == "forward-compute" || name == "backward-compute";
}

std::optional<AnnotatedPass> annotatedPass(std::string_view name) {
    if (name.starts_with(runtimePrefix)) {
        name.remove_prefix(runtimePrefix.size());
        return name.starts_with('(') ? pairOf(name) : actionOf(name);
    }
    if (name == "forward-compute") return AnnotatedPass{BlockKind::forward};
    if (name == "backward-compute") return AnnotatedPass{BlockKind::backward};
    if (const auto pass = numbered(name, "Forward ", BlockKind::forward)) return pass;
    return numbered(name, "Backward ", BlockKind::backward);
}

CollectiveKind collectiveOf(std::string_view kernel) {
    constexpr std::string_view libraries[] = {"nccl", "rccl", "gloo:"};
    if (std::ranges::none_of(
            libraries, [&](std::string_view each) { return kernel.find(each) != std::string_view::npos; }))
        return CollectiveKind::none;
    constexpr std::pair<std::string_view, CollectiveKind> kinds[] = {
        {"SendRecv", CollectiveKind::sendReceive},         {"AllReduce", CollectiveKind::allReduce},
        {"all_reduce", CollectiveKind::allReduce},         {"ReduceScatter", CollectiveKind::reduceScatter},
        {"reduce_scatter", CollectiveKind::reduceScatter}, {"AllGather", CollectiveKind::allGather},
        {"all_gather", CollectiveKind::allGather}};
    for (const auto& [word, kind] : kinds)
        if (kernel.find(word) != std::string_view::npos) return kind;
    return CollectiveKind::other;
}

}  // namespace stagecraft::formats
