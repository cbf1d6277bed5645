#include "views/resources/memory_list.h"

#include "core/runs/cautions.h"
#include "views/common/text.h"
#include "views/common/theme.h"

#include <algorithm>

namespace stagecraft::views::resources {

namespace {

QStringList namesOf(MemoryKind kind) {
    QStringList names = {memoryKindName(kind)};
    if (kind == MemoryKind::weightVersions) names << "versions";
    if (kind == MemoryKind::optimizerState) names << "optimizer";
    return names;
}
}  // namespace

MemoryList::MemoryList(const MemoryScene* scene, QWidget* parent) : SeriesList(parent), scene_(scene) {}

double MemoryList::bytesOf(std::size_t series) const {
    const MemorySeries& it = scene_->data->memory[series];
    return instant() ? it.totalAt(*instant()) : it.peakBytes();
}

QStringList MemoryList::heading() const {
    const std::string counted =
        scene_->data && scene_->data->run ? runs::memoryMark(*scene_->data->run) : std::string();
    const QString mark = counted.empty() ? QString() : QStringLiteral(", ") + QString::fromStdString(counted);
    if (!instant()) return {"Peak memory" + mark, "Peak" + mark};
    const QString when = QString::fromStdString(formatSeconds(*instant()));
    return {"Memory at " + when + mark, "At " + when + mark};
}

SeriesList::Row MemoryList::row(int series) const {
    const auto index = static_cast<std::size_t>(series);
    const MemorySeries& it = seriesOf(series);
    const double bytes = bytesOf(index), limit = it.curve().limitBytes;
    return {scene_->colourOf(index), deviceSummaries(scene_->data->cluster(), it.devices), bytesText(bytes),
            limit > 0 && bytes > limit, !scene_->shows(index) && scene_->series < 0};
}

std::vector<SeriesList::Part> MemoryList::parts() const {
    const MemorySeries& it = seriesOf(scene_->series);
    std::vector<Part> parts;
    // As in the stack: what is on top is on top.
    if (const MemorySeries::Saved* saved = it.saved()) {
        const SavedMemory& memory = *saved->memory;
        const std::size_t step = memory.stepAt(instant().value_or(it.peakTimeS()));
        for (const SavedBand band : {SavedBand::recompute, SavedBand::swap}) {
            const double bytes = band == SavedBand::swap ? memory.bySwap[step] : memory.byRecompute[step];
            const double most = band == SavedBand::swap ? memory.mostBySwap() : memory.mostByRecompute();
            if (most > 0)
                parts.push_back({savedColour(band),
                                 band == SavedBand::swap ? QStringList{"swap saves", "swap"}
                                                         : QStringList{"recompute saves", "recompute"},
                                 bytesText(bytes), true});
        }
    }
    const MemoryCurve& curve = it.curve();
    const std::size_t step = instant() ? curve.stepAt(*instant()) : curve.peakStep();
    std::vector<MemoryKind> kinds = shownKinds({curve});
    std::ranges::reverse(kinds);
    for (const MemoryKind kind : kinds)
        parts.push_back({memoryColour(kind), namesOf(kind),
                         bytesText(curve.bytes()[static_cast<std::size_t>(kind)][step])});
    return parts;
}

QString MemoryList::tip(int series) const {
    const MemorySeries& it = seriesOf(series);
    QStringList lines = {deviceSummary(scene_->data->cluster(), it.devices),
                         QStringLiteral("%1 bytes of %2")
                             .arg(bytesOf(static_cast<std::size_t>(series)), 0, 'f', 0)
                             .arg(it.curve().limitBytes, 0, 'f', 0)};
    if (const MemorySeries::Saved* saved = it.saved()) {
        lines << QStringLiteral("Peak %1; with every activation kept %2")
                     .arg(bytesText(it.peakBytes()), bytesText(saved->kept.peakBytes()));
        if (const double most = saved->memory->mostBySwap(); most > 0)
            lines << "Swap keeps up to " + bytesText(most) + " on the host";
        if (const double most = saved->memory->mostByRecompute(); most > 0)
            lines << "Recompute saves up to " + bytesText(most);
    }
    if (scene_->data->run) lines << QStringLiteral("Click for what it is made of");
    return lines.join('\n');
}

}  // namespace stagecraft::views::resources
