#include "core/formats/configurations/stage_rules.h"

#include "core/base/counted.h"
#include "core/base/indices.h"

#include <algorithm>

namespace stagecraft::formats {

namespace {

void addEnds(std::vector<StageContent>& stages, int predictions) {
    stages.front().embedding = true;
    stages.back().head = true;
    stages.back().predictions = predictions;
}

}  // namespace

StageRule givenStages(std::vector<StageContent> stages, StageComplaint complain) {
    return [stages = std::move(stages), complain = std::move(complain)](int blocks, int predictions) {
        int ownBlocks = 0, ownPredictions = 0;
        for (const StageContent& stage : stages) {
            ownBlocks += stage.blocks;
            ownPredictions += stage.predictions;
        }
        if (ownBlocks != blocks)
            complain("the layout has " + counted(ownBlocks, "block"),
                     "as many as the model, " + std::to_string(blocks));
        if (ownPredictions != predictions)
            complain("the layout has " + counted(ownPredictions, "layer") + " of multi-token prediction",
                     "as many as are trained, " + std::to_string(predictions));
        return stages;
    };
}

int EvenStages::chunksFor(int blocks) const {
    if (blocksPerChunk == 0) return chunks;
    const int all = blocks + embeddingCounts + headCounts, each = all / ranks;
    if (all % ranks != 0 || each % blocksPerChunk != 0 || each == 0)
        complain(counted(all, "layer") + " on " + counted(ranks, "rank") + " do not come out in chunks of " +
                     std::to_string(blocksPerChunk),
                 "a number that divides the layers of a rank");
    if (ranks == 1 && each > blocksPerChunk)
        complain(counted(each / blocksPerChunk, "stage") + " on one rank, interleaved", "at least two ranks");
    return each / blocksPerChunk;
}

void EvenStages::checkGiven(int all) const {
    if (!first && !last) return;
    const bool areBoth = first && last;
    const long long own = 0LL + first.value_or(0) + last.value_or(0);
    if (areBoth && ranks == 1)
        complainGiven("the first rank is the last, and both are given", "at least two ranks");
    if (own > all)
        complainGiven(std::string(areBoth ? "first and last rank take "
                                  : first ? "the first rank takes "
                                          : "the last rank takes ") +
                          grouped(own) + " of " + counted(all, "block"),
                      "no more than there are");
    if (ranks == areBoth + 1 && own < all)
        complainGiven("the given blocks make " + grouped(own) + ", the model has " + std::to_string(all),
                      "as many as the model has");
}

std::vector<StageContent> EvenStages::operator()(int blocks, int predictions) const {
    const int parts = chunksFor(blocks);
    std::vector<int> ofRank(at(ranks));
    const int given = (first ? 1 : 0) + (last ? 1 : 0), others = ranks - given;
    checkGiven(blocks + embeddingCounts + headCounts);
    const int all = blocks + embeddingCounts + headCounts - first.value_or(0) - last.value_or(0);
    if (others > 0 && all % others != 0)
        complain(counted(all, "layer") + " cannot be dealt out to " + counted(others, "rank") +
                     (given > 0 ? " besides those that are given" : ""),
                 "a multiple of " + std::to_string(others));
    for (int rank = 0; rank < ranks; ++rank) {
        int& own = ofRank[at(rank)] = others > 0 ? all / others : 0;
        if (rank == ranks - 1 && last) own = *last;
        if (rank == 0 && first) own = *first;
        if (own % parts != 0)
            complain(counted(own, "layer") + " of rank " + std::to_string(rank) + " do not come out in " +
                         counted(parts, "chunk"),
                     "a multiple of " + std::to_string(parts));
    }
    std::vector<StageContent> stages;
    for (int chunk = 0; chunk < parts; ++chunk)
        for (int rank = 0; rank < ranks; ++rank) stages.push_back({.blocks = ofRank[at(rank)] / parts});
    stages.front().blocks -= embeddingCounts;
    stages.back().blocks -= headCounts;
    addEnds(stages, predictions);
    for (const StageContent& stage : stages)
        if (stage.blocks < 0 || stage.isEmpty())
            complain(counted(blocks, "block") + " do not suffice for " + counted(std::ssize(stages), "stage"),
                     "a block for each stage");
    return stages;
}

std::vector<StageContent> WeightedStages::operator()(int blocks, int predictions) const {
    const int all = blocks + embeddingWeight + headWeight;
    if (stages > all)
        complain(counted(stages, "stage") + " for " + counted(blocks, "block"),
                 "at most as many as blocks, embedding and head together");
    const int each = all / stages, longer = all % stages;
    if (stages > 1 && (each < embeddingWeight || each < headWeight))
        complain("the embedding or the head weighs more than the " + counted(each, "layer") + " of a stage",
                 "fewer stages");
    std::vector<StageContent> made;
    for (int stage = 0; stage < stages; ++stage) made.push_back({.blocks = each + (stage < longer)});
    made.front().blocks -= embeddingWeight;
    made.back().blocks -= headWeight;
    addEnds(made, predictions);
    for (const StageContent& stage : made)
        if (stage.blocks < 0 || stage.isEmpty())
            complain(counted(blocks, "block") + " do not suffice for " + counted(stages, "stage"),
                     "fewer stages");
    return made;
}

}  // namespace stagecraft::formats
