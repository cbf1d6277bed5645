#include "app/vpipe/drawing_export.h"

#include "app/export_dialog.h"
#include "core/formats/formats.h"
#include "core/formats/input_error.h"
#include "views/figures/writers.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>

#include <stdexcept>

namespace stagecraft {

namespace {

FigureFormat formatOf(const QString& format) {
    return format == QLatin1String("svg")    ? FigureFormat::svg
           : format == QLatin1String("png")  ? FigureFormat::png
           : format == QLatin1String("tikz") ? FigureFormat::tikz
                                             : FigureFormat::pdf;
}

}  // namespace

void writeDrawing(const DrawingExport& what, const ExportChoice& choice, const QString& path) {
    const std::filesystem::path file = path.toStdString();
    if (choice.format == QLatin1String("csv") && what.csv) return writeFileAtomically(file, what.csv());
    DrawingLook paper;
    paper.widthMm = choice.widthMm;
    paper.legend = choice.legend;
    Figure figure = what.draw(paper).figure;
    if (choice.grey) figure = inGrey(std::move(figure));
    exportFigure(figure, file, formatOf(choice.format), choice.dpi);
}

QString askAndWriteDrawing(const DrawingExport& what, QWidget* parent) {
    // The questions are those about other curves, with a table or without.
    ExportDialog dialog(ExportChoice::load(),
                        what.csv ? ExportDialog::Figure::training : ExportDialog::Figure::pattern, parent);
    dialog.setWindowTitle(QObject::tr("Export figure"));
    if (dialog.exec() != QDialog::Accepted) return {};
    ExportChoice choice = dialog.choice();
    QString folder = choice.folder;
    if (folder.isEmpty() || !QFileInfo(folder).isDir()) folder = QDir::homePath();
    const QString suffix = ExportDialog::suffixOf(choice.format);
    QString path =
        QFileDialog::getSaveFileName(parent, dialog.windowTitle(), folder + '/' + what.name + '.' + suffix,
                                     ExportDialog::filterOf(choice.format));
    if (path.isEmpty()) return {};
    if (QFileInfo(path).suffix().isEmpty()) path += '.' + suffix;
    choice.folder = QFileInfo(path).absolutePath();
    choice.save();
    try {
        writeDrawing(what, choice, path);
    } catch (const std::exception& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

}  // namespace stagecraft
