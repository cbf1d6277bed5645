#pragma once

#include "core/model/timeline.h"
#include "views/rooms.h"

#include <QString>

namespace stagecraft::views::common {

/// What is written into a block: its microbatch, from 0 within its mini-batch. Where mini-batches follow each
/// other the mini-batch is before it ("2.1"), and alone where it is one microbatch; where sequences are cut,
/// the slice comes last.
class BlockNumbers {
public:
    BlockNumbers() = default;
    /// @param first what counting begins with, where numbers are written
    explicit BlockNumbers(const Timeline& timeline, int first = 0);

    int miniBatches() const { return miniBatches_; }
    int microbatches() const { return microbatches_; }  ///< of a mini-batch
    int slices() const { return slices_; }              ///< of a microbatch
    bool severalMiniBatches() const { return miniBatches_ > 1; }
    QString text(int miniBatch, int microbatch) const;
    QString text(int miniBatch, int microbatch, int slice) const;
    /// Of a pair both of its microbatches: "7&5".
    QString text(const Timeline& timeline, std::uint32_t block) const;
    /// "forward of microbatch 1 of mini-batch 2 on stage 0".
    QString describe(const Timeline& timeline, std::uint32_t block) const;

private:
    int first_ = 0;
    int miniBatches_ = 1;
    int microbatches_ = 1;
    int slices_ = 1;
};

/// What is written into a block that has no number: "AllReduce", or "AR" where words are `brief`; "update",
/// for which there is no brief word.
QString blockWord(BlockKind kind, bool brief);
/// What a legend calls the kind: "kernels and others" for what a recording saw and plans have not.
QString legendWord(BlockKind kind, bool recorded);
/// Of a kernel's name what tells it from others: without what it returns, is given and is made of.
QString briefLabel(const QString& label);

}  // namespace stagecraft::views::common
