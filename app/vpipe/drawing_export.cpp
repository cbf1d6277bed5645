#include "app/vpipe/drawing_export.h"

#include "app/figures/figure_dialog.h"
#include "core/formats/text_file.h"

#include <QDir>

#include <stdexcept>

namespace stagecraft::app::vpipe {

namespace {

FigureSource sourceOf(const DrawingExport& what) {
    FigureSource source{QStringLiteral("drawing"), what.name, what.name, {}, {}, {}};
    source.has.height = true;
    if (what.csv)
        source.tables = {{QStringLiteral("csv"), QObject::tr("CSV (the numbers as a table)"),
                          QStringLiteral("csv"),
                          [csv = what.csv](const FigurePart&, const std::filesystem::path& path) {
                              writeFileAtomically(path, csv());
                          }}};
    source.draw = [draw = what.draw](const FigureStyle& style, const FigurePart&) {
        return drawnInStyle(style, [&](const FigureStyle& own) {
            DrawingLook paper;
            paper.widthMm = own.widthMm;
            paper.heightMm = own.heightMm;
            paper.fontPt = own.fontPt;
            paper.legend = own.legend;
            return draw(paper).figure;
        });
    };
    return source;
}

}  // namespace

void writeDrawing(const DrawingExport& what, const ExportChoice& choice, const QString& path) {
    writeSource(sourceOf(what), choice.format, choice.style, {}, path.toStdString());
}

QString askAndWriteDrawing(const DrawingExport& what, QWidget* parent) {
    FigureDialog dialog({sourceOf(what)}, std::nullopt, ExportChoice::load(), parent);
    const QString path = dialog.askForFile(QDir::homePath(), [&what] { return what.name; });
    if (path.isEmpty()) return {};
    try {
        writeDrawing(what, dialog.choice(), path);
    } catch (const std::exception& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

}  // namespace stagecraft::app::vpipe
