#include "views/figures/writers.h"

#include "core/formats/native/formats.h"

namespace stagecraft {

std::optional<FigureFormat> figureFormatOf(const std::filesystem::path& path) {
    const QString ending = QString::fromStdString(path.extension().string()).toLower();
    if (ending == ".svg") return FigureFormat::svg;
    if (ending == ".pdf") return FigureFormat::pdf;
    if (ending == ".png") return FigureFormat::png;
    if (ending == ".tikz" || ending == ".tex") return FigureFormat::tikz;
    return std::nullopt;
}

void exportFigure(const Figure& figure, const std::filesystem::path& path, FigureFormat format, double dpi) {
    QByteArray bytes;
    switch (format) {
        case FigureFormat::svg:
            bytes = writeSvg(figure);
            break;
        case FigureFormat::pdf:
            bytes = writePdf(figure);
            break;
        case FigureFormat::png:
            bytes = writePng(figure, dpi);
            break;
        case FigureFormat::tikz:
            bytes = writeTikz(figure);
            break;
    }
    writeFileAtomically(path, std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
}

}  // namespace stagecraft
