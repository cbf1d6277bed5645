#pragma once

#include "app/figures/figure_source.h"
#include "core/model/kept_figure.h"

#include <memory>
#include <string>
#include <vector>

namespace stagecraft::app::figures {

/// What figures of a project are drawn of: its plans, each with the notes on its chart, its cluster, and
/// those of its recordings that could be read. Plans may be without a timeline.
struct DrawnProject {
    std::vector<NotedPlan> plans;
    std::shared_ptr<const Cluster> cluster;
    std::vector<NotedRecording> recordings{};
};

/// What a figure is drawn of, how, and what of it.
struct StyledFigure {
    FigureSource source;
    FigureStyle style;
    FigurePart part;
    QString format{};  ///< id of a FigureFormat; empty: it is written in whatever is asked for
};

/// Whether a project can keep it: it is of plans, a recording or the cluster, not of a search or of training.
bool canBeKept(const FigureSource& source);
/// The figure under a name, with what it refers to by titles and ids. Its source is of that project and
/// canBeKept().
KeptFigure keptFigure(const std::string& name, const StyledFigure& figure, const DrawnProject& project);
/// The kept figure as the project is now. @throws std::invalid_argument or InputError that says what it
/// refers to and the project no longer has
StyledFigure findKept(const KeptFigure& kept, const DrawnProject& project);

/// The figures with one more; it takes the place of one of the same name.
std::vector<KeptFigure> withFigure(std::vector<KeptFigure> figures, KeptFigure figure);

}  // namespace stagecraft::app::figures
