#pragma once

#include "app/figures/kept_figures.h"
#include "core/base/work_context.h"

namespace stagecraft::app::figures {

/// A figure and the name of its file, without an ending.
struct FiledFigure {
    QString name;
    FigureSource source;
    std::optional<FigureStyle> style{};  ///< of its own; nothing: that of the set
    FigurePart part{};
    const FigureFormat* format = nullptr;  ///< of its own; null: that of the set
    std::string missing{};                 ///< of a kept figure that cannot be drawn: why; else empty
};

/// The figures that a project keeps, each in its own style, under names that differ as files do.
std::vector<FiledFigure> keptFigures(const std::vector<KeptFigure>& kept, const DrawnProject& project);
/// Every figure of a project, each name once: those that it keeps; all that shows each plan that has a
/// timeline, under the plan's title; each recording; where there are several plans their comparison; the
/// cluster and its bandwidths.
std::vector<FiledFigure> projectFigures(const std::vector<KeptFigure>& kept, const DrawnProject& project);

/// Where each of the figures goes: its name in the folder, with the ending of its format.
std::vector<std::filesystem::path> filesOf(const std::vector<FiledFigure>& figures,
                                           const FigureFormat& format, const std::filesystem::path& folder);

/// A file that was written against the one of its name that was there before.
enum class FileChange { added, changed, same };
inline constexpr EnumName<FileChange> fileChangeNames[] = {
    {FileChange::added, "new"}, {FileChange::changed, "changed"}, {FileChange::same, "as it was"}};

/// What became of a figure of a set.
struct FiledOutcome {
    std::filesystem::path path;
    std::string failure;  ///< empty: it is there
    QString omissions;    ///< what had no room in it; empty: nothing
    FileChange change = FileChange::added;
};
/// "3 changed (a.pdf, b.pdf, c.pdf), 1 new, 2 as they were": those that are there now.
std::string changesText(const std::vector<FiledOutcome>& outcomes);

/// Writes them all into the folder, which must be there, in their own formats and styles or else in these;
/// one that fails keeps no other from being written.
/// @param tell of each figure once it is dealt with, from this thread
/// @throws Cancelled between two figures
void writeFigures(const std::vector<FiledFigure>& figures, const FigureFormat& format,
                  const FigureStyle& style, const std::filesystem::path& folder, const WorkContext& context,
                  const std::function<void(const FiledOutcome&)>& tell);

}  // namespace stagecraft::app::figures
