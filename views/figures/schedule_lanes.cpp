#include "views/figures/schedule_lanes.h"

#include "views/common/text.h"
#include "views/figures/figure.h"

#include <QRegularExpression>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace stagecraft::views::figures {
namespace {

/// In math a value stays one thing: the 10 of "P_{n}" is a subscript as a whole.
QString withValues(const QString& name, const std::vector<std::pair<QString, QString>>& values) {
    const bool math = name.contains('$');
    QString result;
    qsizetype at = 0;
    bool inMath = false;
    while (at < name.size()) {
        const auto value = std::find_if(values.begin(), values.end(), [&](const auto& each) {
            return name.mid(at, each.first.size()) == each.first;
        });
        if (value == values.end()) {
            if (math && name[at] == '$') inMath = !inMath;
            result += name[at++];
            continue;
        }
        result += inMath ? '{' + value->second + '}' : value->second;
        at += value->first.size();
    }
    return result;
}

/// Of a recording: where there is nothing else of a device, or with communication.
StreamChoice streamsInPrint(const ShownRun& run, bool communication) {
    if (!run.recorded()) return nullptr;
    return [&run, communication](int index) {
        const std::vector<Lane>& lanes = run.timeline().lanes;
        const int home = run.timeline().computeLaneOf(lanes[static_cast<std::size_t>(index)].devices.front());
        return communication || home < 0 || lanes[static_cast<std::size_t>(home)].blockCount() == 0;
    };
}

}  // namespace

LaneNaming::LaneNaming(const std::string& names, int firstStage) : firstStage_(firstStage) {
    static const QRegularExpression inBraces(QStringLiteral("\\{([a-z]+)\\}"));
    const QString text = QString::fromStdString(names).trimmed();
    if (text.isEmpty()) return;
    names_ = text.split('|');
    for (QString& name : names_) name = name.trimmed();
    for (auto found = inBraces.globalMatch(text); found.hasNext();) {
        const QString word = found.next().captured(1);
        if (!QStringList{"n", "i", "gpu", "stages"}.contains(word))
            throw std::invalid_argument("lane names cannot have {" + word.toStdString() +
                                        "}; expected {n}, {i}, {gpu} or {stages}");
    }
    pattern_ = names_.size() == 1 && text.contains(inBraces);
}

QString LaneNaming::nameOf(const ShownRun& run, int lane, int position, const QString& usual) const {
    QString name = pattern_ ? names_.front() : position < names_.size() ? names_[position] : QString();
    if (name.isEmpty()) return usual;
    const Lane& own = run.timeline().lanes[static_cast<std::size_t>(lane)];
    QStringList stages;
    const std::vector<Stage>& all = run.plan().stages;
    for (std::size_t stage = 0; stage < all.size(); ++stage)
        if (all[stage].devices == own.devices)
            stages << QString::number(static_cast<int>(stage) + firstStage_);
    return withValues(name, {{QStringLiteral("{n}"), QString::number(position + 1)},
                             {QStringLiteral("{i}"), QString::number(position)},
                             {QStringLiteral("{gpu}"), deviceRange(run.cluster(), own.devices, true)},
                             {QStringLiteral("{stages}"), stages.join(QStringLiteral(", "))}});
}

QString devicesName(const ShownRun& run, const LaneNaming& naming, const std::vector<int>& devices) {
    const QString usual = deviceRange(run.cluster(), devices, true);
    QStringList names;
    int position = 0;
    for (const ListedLane& listed : listedLanes(run, false, LaneMedium::print)) {
        const Lane& lane = run.timeline().lanes[static_cast<std::size_t>(listed.lane)];
        const bool own = std::find_first_of(devices.begin(), devices.end(), lane.devices.begin(),
                                            lane.devices.end()) != devices.end();
        if (own) names << naming.nameOf(run, listed.lane, position, usual);
        ++position;
    }
    names.removeDuplicates();
    if (names.size() < 2) return names.isEmpty() ? usual : names.front();
    return names.front() + QChar(0x2013) + names.back();
}

std::vector<PrintedLane> printedLanes(const ShownRun& run, bool communication, double labelMm, double fontPt,
                                      const LaneNaming& naming) {
    std::vector<PrintedLane> rows;
    std::map<LaneKind, qsizetype> levels;  // of names, the first at which all rows of the kind fit
    std::vector<std::pair<LaneKind, QStringList>> names;
    for (const ListedLane& lane :
         listedLanes(run, communication, LaneMedium::print, streamsInPrint(run, communication))) {
        const LaneKind kind = run.timeline().lanes[static_cast<std::size_t>(lane.lane)].kind;
        rows.push_back({lane.lane, {}, lane.computes});
        names.emplace_back(kind, laneNames(run, lane.lane, LaneMedium::print, naming.firstStage()));
        const QStringList& own = names.back().second;
        qsizetype& level = levels[kind];
        while (level + 1 < own.size() && textWidthMm(own[level], fontPt) > labelMm) ++level;
    }
    int position = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& [kind, own] = names[i];
        rows[i].label = cutInMiddle(own[std::min(levels[kind], own.size() - 1)], labelMm, fontPt);
        if (rows[i].compute) rows[i].label = naming.nameOf(run, rows[i].lane, position++, rows[i].label);
    }
    return rows;
}

std::vector<PrintedLane> chosenLanes(std::vector<PrintedLane> rows, const std::vector<int>& lanes,
                                     bool firstStageBelow) {
    if (!lanes.empty())
        std::erase_if(rows, [&](const PrintedLane& row) {
            return std::find(lanes.begin(), lanes.end(), row.lane) == lanes.end();
        });
    if (rows.empty()) throw std::invalid_argument("none of the lanes asked for is in the figure");
    if (firstStageBelow) std::reverse(rows.begin(), rows.end());
    return rows;
}

}  // namespace stagecraft::views::figures
