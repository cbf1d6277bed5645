#pragma once

#include "app/figures/figure_source.h"
#include "core/base/work_context.h"

namespace stagecraft::app {

/// A figure and the name of its file, without an ending.
struct FiledFigure {
    QString name;
    FigureSource source;
};

/// Every figure of a project, each name once: all that shows each plan that has a timeline, under the plan's
/// title; where there are several plans their comparison; the cluster and its bandwidths.
/// @param plans may be without a timeline; of those only the comparison tells
std::vector<FiledFigure> projectFigures(const std::vector<NotedPlan>& plans,
                                        const std::shared_ptr<const Cluster>& cluster);

/// Where each of the figures goes: its name in the folder, with the format's ending.
std::vector<std::filesystem::path> filesOf(const std::vector<FiledFigure>& figures,
                                           const FigureFormat& format, const std::filesystem::path& folder);

/// What became of a figure of a set.
struct FiledOutcome {
    std::filesystem::path path;
    std::string failure;  ///< empty: it is there
};

/// Writes them all into the folder, which must be there; one that fails keeps no other from being written.
/// @param tell of each figure once it is dealt with, from this thread
/// @throws Cancelled between two figures
void writeFigures(const std::vector<FiledFigure>& figures, const FigureFormat& format,
                  const FigureStyle& style, const std::filesystem::path& folder, const WorkContext& context,
                  const std::function<void(const FiledOutcome&)>& tell);

}  // namespace stagecraft::app
