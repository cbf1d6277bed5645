#include "views/common/block_numbers.h"

#include <QRegularExpression>

#include <algorithm>

namespace stagecraft::views::common {

BlockNumbers::BlockNumbers(const Timeline& timeline, int first) : first_(first) {
    const auto largest = [](const std::vector<std::int32_t>& column) {
        return column.empty() ? 0 : std::max(0, *std::max_element(column.begin(), column.end()));
    };
    miniBatches_ = largest(timeline.iteration) + 1;
    microbatches_ = largest(timeline.microbatch) + 1;
    slices_ = largest(timeline.slice) + 1;
}

QString BlockNumbers::text(int miniBatch, int microbatch) const {
    if (!severalMiniBatches()) return QString::number(first_ + microbatch);
    if (microbatches_ == 1) return QString::number(first_ + miniBatch);
    return QStringLiteral("%1.%2").arg(first_ + miniBatch).arg(first_ + microbatch);
}

QString BlockNumbers::text(int miniBatch, int microbatch, int slice) const {
    const QString whole = text(miniBatch, microbatch);
    return slices_ > 1 ? QStringLiteral("%1.%2").arg(whole).arg(first_ + slice) : whole;
}

QString BlockNumbers::text(const Timeline& timeline, std::uint32_t block) const {
    const QString own = text(timeline.iteration[block], timeline.microbatch[block], timeline.sliceOf(block));
    const PairedBackward* backward = timeline.pairedWith(block);
    return backward ? own + "&" + text(timeline.iteration[block], backward->microbatch) : own;
}

QString BlockNumbers::describe(const Timeline& timeline, std::uint32_t block) const {
    QString text = QString::fromStdString(describeBlock(timeline, block));
    if (!severalMiniBatches()) return text;
    const QString miniBatch = QStringLiteral(" of mini-batch %1").arg(timeline.iteration[block]);
    const QString microbatch = QStringLiteral(" of microbatch %1").arg(timeline.microbatch[block]);
    if (const qsizetype at = text.indexOf(microbatch); at >= 0) {
        if (microbatches_ == 1) return text.replace(at, microbatch.size(), miniBatch);
        return text.insert(at + microbatch.size(), miniBatch);
    }
    const qsizetype place = text.indexOf(QStringLiteral(" on stage"));
    return place < 0 ? text + miniBatch : text.insert(place, miniBatch);
}

QString blockWord(BlockKind kind, bool brief) {
    switch (kind) {
        case BlockKind::allReduce:
            return brief ? QStringLiteral("AR") : QStringLiteral("AllReduce");
        case BlockKind::reduceScatter:
            return brief ? QStringLiteral("RS") : QStringLiteral("ReduceScatter");
        case BlockKind::allGather:
            return brief ? QStringLiteral("AG") : QStringLiteral("AllGather");
        case BlockKind::headInput:
        case BlockKind::embeddingReturn:
            return brief ? QStringLiteral("BC") : QStringLiteral("Broadcast");
        case BlockKind::headBarrier:
        case BlockKind::headGradient:
        case BlockKind::embeddingOutput:
            return brief ? QStringLiteral("AR") : QStringLiteral("AllReduce");
        default:
            return brief ? QString() : QString(blockKindName(kind));
    }
}

QString legendWord(BlockKind kind, bool recorded) {
    if (recorded && kind == BlockKind::other) return QStringLiteral("kernels and others");
    return QString::fromLatin1(blockKindName(kind));
}

QString briefLabel(const QString& label) {
    constexpr int most = 48;
    QString brief = label.startsWith(QLatin1String("void ")) ? label.mid(5) : label;
    const qsizetype end = brief.indexOf(QRegularExpression(QStringLiteral("[<(]")));
    if (end > 0) brief.truncate(end);
    if (const qsizetype space = brief.lastIndexOf(QLatin1String("::")); space >= 0)
        brief = brief.mid(space + 2);
    return brief.size() <= most ? brief : brief.left(most - 1) + QChar(0x2026);
}

}  // namespace stagecraft::views::common
