#pragma once

#include "views/figures/figure_style.h"

#include <QString>
#include <QStringList>

#include <filesystem>
#include <string>
#include <vector>

namespace stagecraft::views::figures {

/// A kind of file that a figure can be written as. Its writer's source describes it; what the window and the
/// command line offer follows from that.
struct FigureFormat {
    QString id;               ///< --format of the command line, and what is remembered
    QString title;            ///< for people
    QStringList suffixes;     ///< of files' names; the first is given to a file that has none
    QString mimeType{};       ///< under which a copied figure is offered; empty: not unless it is chosen
    bool isText = false;      ///< whether copying a figure as this gives its text too
    bool isRaster = false;    ///< of FigureStyle::dpi; others are of no resolution
    bool isDocument = false;  ///< may be one of its own, FigureStyle::standalone
    /// The same bytes for the same figure. PDF and PNG need a QGuiApplication, and so do all where text is
    /// drawn as paths. @throws std::invalid_argument for a figure without a size, with unbalanced clips or
    /// with coordinates that are not finite
    QByteArray (*write)(const Figure&, const FigureStyle&) = nullptr;

    /// "PNG (*.png)", for file dialogs.
    QString filter() const;
};

/// In the order in which help names them.
const std::vector<FigureFormat>& figureFormats();
/// Nothing if there is none of that id.
const FigureFormat* figureFormatNamed(const QString& id);
/// By the end of the file's name, in capitals or not.
const FigureFormat* figureFormatOf(const std::filesystem::path& path);

/// Their ids, and those of `more` after them.
std::vector<std::string> figureFormatIds(const std::vector<std::string>& more = {});
/// ".svg, .pdf or .png": the ends of names that figureFormatOf knows.
QString figureSuffixes();
/// "SVG, PDF, PNG or CSV": what people call them, and what else there is.
QString figureFormatTitles(const QStringList& more = {});

/// Writes a figure, which is in its style already, atomically.
/// @throws InputError if it cannot be written, std::invalid_argument as the writers do
void exportFigure(const Figure& figure, const FigureStyle& style, const FigureFormat& format,
                  const std::filesystem::path& path);

}  // namespace stagecraft::views::figures
