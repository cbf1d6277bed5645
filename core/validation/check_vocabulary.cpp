#include "core/validation/checks.h"

#include <algorithm>

namespace stagecraft::validation {

namespace {

/// What has to be there before what, where devices share out the layers of a vocabulary (Yeung et al., Alg. 1
/// and 2), and in which order they do it.
class VocabularyCheck {
public:
    explicit VocabularyCheck(const Context& context)
        : context_(context), stages_(context.stageCount()), count_(context.facts.passesOf(0)) {}

    void checkDependencies() {
        for (iteration_ = 0; iteration_ < context_.index.iterations(); ++iteration_)
            for (ordinal_ = 0; ordinal_ < count_; ++ordinal_) {
                checkHead();
                if (context_.facts.vocabulary.hasEmbedding) checkEmbedding();
                for (const BlockKind kind :
                     {BlockKind::headInput, BlockKind::headBarrier, BlockKind::headGradient})
                    checkAtOnce(kind);
            }
    }

    void checkOrder(const std::string& family) {
        family_ = family;
        const VocabularyPasses passes = context_.facts.vocabulary.passes;
        for (iteration_ = 0; iteration_ < context_.index.iterations(); ++iteration_)
            for (int stage = 0; stage < stages_; ++stage) {
                checkAscending(stage);
                if (passes == VocabularyPasses::interlaced)
                    checkInterlaced(stage);
                else
                    checkSlots(stage, passes == VocabularyPasses::twoBarriers ? 2 : 1);
            }
    }

private:
    std::uint32_t pass(BlockKind kind, int stage, int ordinal) const {
        return ordinal < 0 || ordinal >= count_ ? noBlock
                                                : context_.index.block(kind, stage, iteration_, ordinal);
    }
    std::uint32_t pass(BlockKind kind, int stage) const { return pass(kind, stage, ordinal_); }

    void require(std::uint32_t earlier, std::uint32_t later) { context_.requireEnded(earlier, later); }
    void requireTogetherAfter(std::uint32_t earlier, BlockKind kind) {
        for (int place = 0; place < context_.index.placesOf(kind); ++place)
            require(earlier, context_.index.together(kind, iteration_, ordinal_, place));
    }
    void requireAfterTogether(BlockKind kind, std::uint32_t later) {
        for (int place = 0; place < context_.index.placesOf(kind); ++place)
            require(context_.index.together(kind, iteration_, ordinal_, place), later);
    }

    /// The softmax of a word needs the logits of all others, and the backward of the layers before the head
    /// what all parts of it have made of the gradient.
    void checkHead() {
        const int last = stages_ - 1;
        const bool early = context_.facts.vocabulary.passes == VocabularyPasses::oneBarrier;
        requireTogetherAfter(pass(BlockKind::forward, last), BlockKind::headInput);
        for (int stage = 0; stage < stages_; ++stage) {
            const std::uint32_t logits = pass(BlockKind::headForward, stage);
            const std::uint32_t gradients = pass(BlockKind::headBackward, stage);
            requireAfterTogether(BlockKind::headInput, logits);
            requireTogetherAfter(logits, BlockKind::headBarrier);
            requireAfterTogether(BlockKind::headBarrier, gradients);
            requireTogetherAfter(gradients, BlockKind::headGradient);
        }
        for (const BlockKind kind : {BlockKind::recompute, BlockKind::backward})
            requireAfterTogether(early ? BlockKind::headBarrier : BlockKind::headGradient, pass(kind, last));
    }

    void checkEmbedding() {
        for (int stage = 0; stage < stages_; ++stage) {
            const std::uint32_t lookup = pass(BlockKind::embeddingForward, stage);
            const std::uint32_t gradient = pass(BlockKind::embeddingBackward, stage);
            requireTogetherAfter(lookup, BlockKind::embeddingOutput);
            require(lookup, gradient);
            requireAfterTogether(BlockKind::embeddingReturn, gradient);
        }
        requireAfterTogether(BlockKind::embeddingOutput, pass(BlockKind::forward, 0));
        requireTogetherAfter(pass(BlockKind::backward, 0), BlockKind::embeddingReturn);
    }

    void checkAtOnce(BlockKind kind) {
        const std::uint32_t first = context_.index.together(kind, iteration_, ordinal_);
        for (int place = 1; place < context_.index.placesOf(kind); ++place) {
            const std::uint32_t other = context_.index.together(kind, iteration_, ordinal_, place);
            if (first == noBlock || other == noBlock) continue;
            if (!isBefore(context_.start(first), context_.start(other)) &&
                !isBefore(context_.start(other), context_.start(first)))
                continue;
            context_.report.add(Rule::dataDependency, other, [&] {
                return "The " + context_.name(other) + " starts at " + seconds(context_.start(other)) +
                       " and on another device at " + seconds(context_.start(first)) +
                       "; expected one instant.";
            });
        }
    }

    void requireOrder(std::uint32_t earlier, std::uint32_t later) {
        context_.requireOrder(family_, earlier, later);
    }

    void checkAscending(int stage) {
        for (const BlockKind kind :
             {BlockKind::forward, BlockKind::backward, BlockKind::headForward, BlockKind::headBackward,
              BlockKind::embeddingForward, BlockKind::embeddingBackward})
            for (int ordinal = 1; ordinal < count_; ++ordinal)
                requireOrder(pass(kind, stage, ordinal - 1), pass(kind, stage, ordinal));
    }

    /// How many forwards have begun when a backward begins: exactly so many.
    void checkForwards(int stage, int backward, int before) {
        const std::uint32_t block = pass(BlockKind::backward, stage, backward);
        requireOrder(pass(BlockKind::forward, stage, std::min(before, count_) - 1), block);
        if (before < count_) requireOrder(block, pass(BlockKind::forward, stage, before));
    }

    /// A device holds p - s microbatches and one more for each barrier, as in 1F1B from the first
    /// backward on; T comes right before the S of the next microbatch.
    void checkSlots(int stage, int barriers) {
        for (int each = 0; each < count_; ++each) {
            checkForwards(stage, each, each + stages_ - stage + barriers);
            if (each == 0) continue;
            requireNext(pass(BlockKind::headBackward, stage, each - 1),
                        pass(BlockKind::headForward, stage, each));
        }
        if (barriers == 1)
            requireOrder(pass(BlockKind::backward, stage, count_ - 1),
                         pass(BlockKind::headBackward, stage, count_ - 1));
    }

    /// One and a half times as many as in 1F1B, at most; T comes right after its S.
    void checkInterlaced(int stage) {
        const int most = stages_ * 3 / 2 - stage;
        for (int each = 0; each < count_; ++each) {
            if (each + most < count_)
                requireOrder(pass(BlockKind::backward, stage, each),
                             pass(BlockKind::forward, stage, each + most));
            requireNext(pass(BlockKind::headForward, stage, each),
                        pass(BlockKind::headBackward, stage, each));
        }
    }

    /// The device computes nothing between the two.
    void requireNext(std::uint32_t earlier, std::uint32_t later) {
        if (earlier == noBlock || later == noBlock) return;
        requireOrder(earlier, later);
        for (std::uint32_t block = earlier + 1; block < later; ++block) {
            const BlockKind kind = context_.timeline.kind[block];
            if (isOfVocabularyLink(kind) || isOutOfTurn(kind)) continue;
            return requireOrder(later, block);
        }
    }

    const Context& context_;
    std::string family_;
    int stages_, count_;
    int iteration_ = 0, ordinal_ = 0;
};

}  // namespace

void checkVocabulary(const Context& context) {
    if (context.facts.vocabulary.isShared()) VocabularyCheck(context).checkDependencies();
}

void checkVocabularyOrder(const Context& context, const FamilySchedule& policy) {
    if (context.facts.vocabulary.isShared()) VocabularyCheck(context).checkOrder(policy.name);
}

}  // namespace stagecraft::validation
