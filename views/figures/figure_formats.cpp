#include "views/figures/figure_formats.h"

#include "core/formats/text_file.h"

namespace stagecraft::views::figures {
namespace {

QString listedWithOr(QStringList names) {
    if (names.size() < 2) return names.join(QString());
    const QString last = names.takeLast();
    return names.join(QStringLiteral(", ")) + QStringLiteral(" or ") + last;
}

}  // namespace

// The source of each one's writer has a function svgFormat(), … that describes it: a new one is named here
// alone.
#define STAGECRAFT_FIGURE_FORMATS(add) add(svg) add(pdf) add(png) add(tikz)

#define STAGECRAFT_DECLARE(name) FigureFormat name##Format();
STAGECRAFT_FIGURE_FORMATS(STAGECRAFT_DECLARE)
#undef STAGECRAFT_DECLARE

const std::vector<FigureFormat>& figureFormats() {
#define STAGECRAFT_DESCRIBED(name) name##Format(),
    static const std::vector<FigureFormat> formats = {STAGECRAFT_FIGURE_FORMATS(STAGECRAFT_DESCRIBED)};
#undef STAGECRAFT_DESCRIBED
    return formats;
}

#undef STAGECRAFT_FIGURE_FORMATS

QString FigureFormat::filter() const {
    return QStringLiteral("%1 (*.%2)").arg(title, suffixes.join(QStringLiteral(" *.")));
}

const FigureFormat* figureFormatNamed(const QString& id) {
    for (const FigureFormat& format : figureFormats())
        if (format.id == id) return &format;
    return nullptr;
}

const FigureFormat* figureFormatOf(const std::filesystem::path& path) {
    const QString suffix = QString::fromStdString(path.extension().string()).mid(1);
    for (const FigureFormat& format : figureFormats())
        if (format.suffixes.contains(suffix, Qt::CaseInsensitive)) return &format;
    return nullptr;
}

std::vector<std::string> figureFormatIds(const std::vector<std::string>& more) {
    std::vector<std::string> ids;
    for (const FigureFormat& format : figureFormats()) ids.push_back(format.id.toStdString());
    ids.insert(ids.end(), more.begin(), more.end());
    return ids;
}

QString figureSuffixes() {
    QStringList suffixes;
    for (const FigureFormat& format : figureFormats())
        for (const QString& suffix : format.suffixes) suffixes << '.' + suffix;
    return listedWithOr(suffixes);
}

QString figureFormatTitles(const QStringList& more) {
    QStringList titles;
    for (const FigureFormat& format : figureFormats()) titles << format.title;
    return listedWithOr(titles + more);
}

void exportFigure(const Figure& figure, const FigureStyle& style, const FigureFormat& format,
                  const std::filesystem::path& path) {
    const QByteArray bytes = format.write(figure, style);
    writeFileAtomically(path, {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

}  // namespace stagecraft::views::figures
