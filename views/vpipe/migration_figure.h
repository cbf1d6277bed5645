#pragma once

#include "core/planners/vpipe/migration.h"
#include "views/vpipe/hover_drawing.h"

#include <memory>
#include <utility>

namespace stagecraft::views::vpipe {

/// A plan that changes into another, in one of the ways that are compared.
struct MigrationCase {
    QString title;     ///< "Live, without a barrier"
    QString obstacle;  ///< why there is none; else empty
    std::shared_ptr<const planners::vpipe::Migration> migration;
    std::vector<int> deviceOfStage;
    bool runsEmpty = false;  ///< stops without a barrier: what follows sees newer weights than it would have
    std::vector<std::string> violations;  ///< of the independent check
    double bytes() const { return migration ? migration->movedBytes : 0; }
};

/// From the first message to the last copy, with some air; the whole timeline where nothing moves.
std::pair<double, double> migrationRange(const planners::vpipe::Migration& migration);

/// The timeline of a migration from `rangeS.first` to `rangeS.second`: one lane per stage, between them their
/// channel, messages and copies as arrows and blocks with a letter (P prepare, R ready, A activations, W
/// parameters).
HoverDrawing drawMigration(const MigrationCase& shown, std::pair<double, double> rangeS,
                           const DrawingLook& look);

}  // namespace stagecraft::views::vpipe
