#include "app/plan/what_if.h"

#include "app/document/workspace.h"
#include "core/base/units.h"
#include "core/editing/profile_edit.h"
#include "views/common/text.h"

#include <QCoreApplication>

#include <cmath>
#include <unordered_map>

namespace stagecraft::app::plan {

std::vector<int> linksBetweenServers(const Cluster& cluster) {
    std::unordered_map<std::string, std::string> serverOf;
    for (const Device& device : cluster.devices) serverOf[device.id] = device.server;
    for (const Switch& each : cluster.switches) serverOf[each.id] = each.server;
    std::vector<int> between;
    for (std::size_t link = 0; link < cluster.links.size(); ++link)
        if (serverOf[cluster.links[link].a] != serverOf[cluster.links[link].b])
            between.push_back(static_cast<int>(link));
    return between;
}

namespace {

void change(Problem& problem, const WhatIf& what) {
    switch (what.kind) {
        case WhatIf::Kind::microbatches:
            problem.setup.microbatches = std::max(1, static_cast<int>(std::lround(what.value)));
            break;
        case WhatIf::Kind::memoryLimit:
            problem.setup.memoryLimitBytes = what.value;
            break;
        case WhatIf::Kind::bandwidth:
            for (const int link :
                 what.target < 0 ? linksBetweenServers(problem.cluster) : std::vector<int>{what.target})
                problem.cluster.links.at(static_cast<std::size_t>(link)).bandwidthBps *= what.value;
            break;
        case WhatIf::Kind::layerTime:
            problem.profile = scaleLayers(problem.profile, {what.target}, ProfileNumbers::times, what.value);
            break;
    }
}

QString whatIfText(const char* text) { return QCoreApplication::translate("WhatIf", text); }

QString describeBandwidth(const Cluster& cluster, const WhatIf& what) {
    const std::vector<int> links =
        what.target < 0 ? linksBetweenServers(cluster) : std::vector<int>{what.target};
    const auto at = [&](int link) -> const Link& { return cluster.links.at(static_cast<std::size_t>(link)); };
    QString text = what.target >= 0 ? whatIfText("bandwidth of the link %1 – %2 ×%3")
                                          .arg(qtText(at(what.target).a), qtText(at(what.target).b))
                   : links.size() == 1
                       ? whatIfText("bandwidth of the link between servers ×%3")
                       : whatIfText("bandwidth of all %1 links between servers ×%3").arg(links.size());
    text.replace(QStringLiteral("%3"), qtText(formatNumber(what.value)));
    if (links.empty()) return text;
    const double bps = at(links.front()).bandwidthBps;
    if (std::any_of(links.begin(), links.end(), [&](int link) { return at(link).bandwidthBps != bps; }))
        return text;
    return whatIfText("%1 (%2 → %3)")
        .arg(text, qtText(formatBandwidth(bps)), qtText(formatBandwidth(bps * what.value)));
}

}  // namespace

Problem changedBy(Problem problem, const std::vector<WhatIf>& changes) {
    for (const WhatIf& what : changes) change(problem, what);
    return problem;
}

QString describe(const Problem& problem, const WhatIf& what) {
    switch (what.kind) {
        case WhatIf::Kind::microbatches:
            return whatIfText("microbatches %1 → %2")
                .arg(problem.setup.microbatches)
                .arg(changedBy(problem, {what}).setup.microbatches);
        case WhatIf::Kind::memoryLimit: {
            const auto& limit = problem.setup.memoryLimitBytes;
            return whatIfText("memory limit of each GPU %1 → %2")
                .arg(limit ? qtText(formatBytes(*limit)) : whatIfText("its own memory"),
                     qtText(formatBytes(what.value)));
        }
        case WhatIf::Kind::bandwidth:
            return describeBandwidth(problem.cluster, what);
        case WhatIf::Kind::layerTime:
            break;
    }
    const Layer& layer = problem.profile.layers.at(static_cast<std::size_t>(what.target));
    const double seconds = layer.forwardS + layer.backwardS;
    return whatIfText("times of layer %1 (%2) ×%3 (%4 → %5)")
        .arg(QString::number(what.target), qtText(layer.name), qtText(formatNumber(what.value)),
             qtText(formatSeconds(seconds)), qtText(formatSeconds(seconds * what.value)));
}

void apply(Workspace& workspace, const std::vector<WhatIf>& changes) {
    if (changes.empty()) return;
    QStringList parts;
    for (const WhatIf& what : changes) parts << describe(workspace.problem(), what);
    const Problem changed = changedBy(workspace.problem(), changes);
    QUndoStack* undo = workspace.undoStack();
    undo->beginMacro(whatIfText("Apply %1").arg(parts.join(QStringLiteral(", "))));
    workspace.setSetup(changed.setup);
    workspace.setCluster(changed.cluster);
    workspace.setProfile(changed.profile);
    undo->endMacro();
}

}  // namespace stagecraft::app::plan
