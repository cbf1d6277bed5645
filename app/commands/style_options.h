#pragma once

#include "app/commands/arguments.h"
#include "app/figures/figure_source.h"

namespace stagecraft::app::commands {

/// --style and what changes single things of it. Without --style the style is FigureStyle's own default.
const std::vector<Option>& styleOptions();
/// @param style what options change where there is no --style @throws UsageError, InputError
FigureStyle styleFrom(const Arguments& arguments, FigureStyle style = {});

/// A figure that a command writes beside what it is about: --figure, and --style, --width-mm and --grey for
/// it.
struct FigureFile {
    std::string path;
    QString format;
    FigureStyle style;
};
const std::vector<Option>& figureFileOptions();
/// @throws UsageError, InputError
std::optional<FigureFile> figureFileFrom(const Arguments& arguments);

/// --from-s, --to-s, --lanes, --memory-device and --link.
const std::vector<Option>& partOptions();
/// @throws UsageError
FigurePart partFrom(const Arguments& arguments, const ShownRun& run);

}  // namespace stagecraft::app::commands
