#pragma once

#include "app/figures/figure_source.h"

namespace stagecraft::app::figures {

/// What a person last chose to export; remembered from one time to the next.
struct ExportChoice {
    QString figure;                          ///< the id of a source; empty or unknown: what is in view
    QString format = QStringLiteral("pdf");  ///< the id of a FigureFormat or of a table
    FigureStyle style;
    std::optional<FigurePart> part;  ///< nothing: what is shown
    QString folder;                  ///< of the file last written; empty: none yet

    /// Of what concerns no plan: figure and part are left as they are.
    static ExportChoice load();
    void save() const;
};

/// The styles that a person has kept, by name; those that come with the program are not among them.
std::vector<FigureStyle> keptFigureStyles();
/// Replaces one of the same name. Without a name nothing is kept.
void keepFigureStyle(const FigureStyle& style);
void forgetFigureStyle(const std::string& name);

/// @throws InputError
FigureStyle openFigureStyle(const std::filesystem::path& path);
void saveFigureStyle(const FigureStyle& style, const std::filesystem::path& path);

}  // namespace stagecraft::app::figures
