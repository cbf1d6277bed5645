#pragma once

#include "app/rooms.h"
#include "core/base/parameters.h"
#include "core/base/work_context.h"
#include "core/editing/network_change.h"
#include "views/vpipe/migration_figure.h"
#include "views/vpipe/round_figure.h"
#include "views/vpipe/utilisation_figure.h"

namespace stagecraft::app::vpipe {

/// Parameters of vPipe for a plan: that plan's parameters, or the usual ones.
ParameterValues vpipeValues(const std::optional<Plan>& plan);

/// Algorithm 1 once more, with all that a plan does not keep. The chosen round is that of `plan` if it is
/// there. @throws std::invalid_argument if the setup does not allow the upper system
RoundsStudy studyRounds(const Problem& problem, const ParameterValues& values,
                        const std::optional<Plan>& plan, const WorkContext& context);

/// The upper system alone at the largest microbatch that it can hold, with swap and recompute, and with all
/// of vPipe (its Figs. 10 and 11).
std::vector<UtilisationRow> utilisationWithParts(const Problem& problem, const ParameterValues& values,
                                                 const WorkContext& context);

/// Stages and memory of a plan that can run and that can be changed into.
struct MigrationEnd {
    QString name;
    std::vector<Stage> stages;
    MemoryPolicy memory;
    bool operator==(const MigrationEnd&) const = default;
};

/// From one end to the other: live and by stop and copy, with a barrier and without one. What cannot be
/// simulated says why. @param after -1: once the pipeline has been full for a while, as the command does
std::vector<MigrationCase> migrationCases(const Problem& problem, const MigrationEnd& from,
                                          const MigrationEnd& to, int after, const WorkContext& context);

/// Events as in vPipe's Fig. 13, of as many layers as this network can take and lose.
NetworkScript usualScript(const Problem& problem);

}  // namespace stagecraft::app::vpipe
