#pragma once

#include "core/base/enum_names.h"
#include "core/model/plan.h"
#include "core/model/problem.h"

#include <string>
#include <vector>

namespace stagecraft::model {

/// Layers, both included; none if the last comes before the first.
struct LayerSpan {
    int first = 0, last = -1;
    bool contains(int layer) const { return first <= layer && layer <= last; }
};

/// The layers of a stage that its forwards and backwards run: all, or where the plan's devices share the
/// vocabulary's layers out (Schedule::sharesVocabulary) those between them.
LayerSpan passLayers(const LayerProfile& profile, const Plan& plan, int stage);

/// The layers that devices can share out: a head at the end of the network and, where there is one, an
/// embedding at its beginning; -1: it is not known to be one.
struct VocabularyLayers {
    int embedding = -1, head = -1;
};
VocabularyLayers vocabularyLayers(const LayerProfile& profile);

/// Which layers at the ends of a network a person says are of a vocabulary.
enum class VocabularyEnds { none, head, both };
inline constexpr EnumName<VocabularyEnds> vocabularyEndsNames[] = {
    {VocabularyEnds::none, "none"}, {VocabularyEnds::head, "head"}, {VocabularyEnds::both, "both"}};
/// The first layer is an embedding and the last a head, or the last alone, or no layer is of a vocabulary.
void setVocabularyLayers(LayerProfile& profile, VocabularyEnds ends);

/// Where each copy of the network shares the vocabulary's layers out among its own devices: those of each
/// copy, in the order of the stages. One list where stages have one device each.
std::vector<std::vector<int>> vocabularySharers(const Plan& plan);

/// Why a plan's devices cannot share the vocabulary's layers of the problem's network out, as the end of a
/// sentence; empty: they can, or the plan does not want it.
std::string whyNotShared(const Problem& problem, const Plan& plan);
/// The same of the network alone.
std::string whyNoVocabulary(const LayerProfile& profile);

}  // namespace stagecraft::model
