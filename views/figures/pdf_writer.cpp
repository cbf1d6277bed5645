#include "views/figures/figure_writers.h"

#include "views/figures/figure_formats.h"
#include "views/figures/figure_sink.h"
#include "views/figures/painter_writer.h"

#include <QBuffer>
#include <QPainter>
#include <QPdfWriter>

#define POINTERHOLDER_TRANSITION 4  // the standard pointers, not those that qpdf had before them
#include <qpdf/Buffer.hh>
#include <qpdf/QPDF.hh>
#include <qpdf/QPDFPageDocumentHelper.hh>
#include <qpdf/QPDFWriter.hh>

#include <cmath>

namespace stagecraft::views::figures {
namespace {

/// Sets the page's box to width × height points, taken from the top of the page, whose height is
/// `pageHeightPt`.
void setPageBox(QPDF& pdf, int pageHeightPt, double widthPt, double heightPt) {
    const auto decimal = [](double value) { return QPDFObjectHandle::newReal(value, 4); };
    for (QPDFPageObjectHelper& page : QPDFPageDocumentHelper(pdf).getAllPages())
        page.getObjectHandle().replaceKey(
            "/MediaBox", QPDFObjectHandle::newArray(std::vector<QPDFObjectHandle>{
                             QPDFObjectHandle::newInteger(0), decimal(pageHeightPt - heightPt),
                             decimal(widthPt), QPDFObjectHandle::newInteger(pageHeightPt)}));
}

/// Qt names the glyph of the space by the last character that has it, a tabulator; searching needs the space.
void nameSpaces(QPDF& pdf) {
    for (QPDFObjectHandle& object : pdf.getAllObjects()) {
        if (!object.isDictionary() || !object.hasKey("/ToUnicode")) continue;
        QPDFObjectHandle map = object.getKey("/ToUnicode");
        const auto data = map.getStreamData();
        QByteArray text(reinterpret_cast<const char*>(data->getBuffer()),
                        static_cast<qsizetype>(data->getSize()));
        text.replace("<0009>", "<0020>");
        map.replaceStreamData(text.toStdString(), QPDFObjectHandle::newNull(), QPDFObjectHandle::newNull());
    }
}

/// Without the date and the random id that Qt gives a file, so that the same figure gives the same bytes.
QByteArray withoutDateAndId(QPDF& pdf) {
    QPDFObjectHandle trailer = pdf.getTrailer();
    if (QPDFObjectHandle about = trailer.getKey("/Info"); about.isDictionary())
        about.removeKey("/CreationDate");
    trailer.removeKey("/ID");
    QPDFWriter writer(pdf);
    writer.setOutputMemory();
    writer.setDeterministicID(true);
    writer.setObjectStreamMode(qpdf_o_disable);
    writer.setStreamDataMode(qpdf_s_preserve);
    writer.setNewlineBeforeEndstream(true);
    writer.write();
    const auto bytes = writer.getBufferSharedPointer();
    return {reinterpret_cast<const char*>(bytes->getBuffer()), static_cast<qsizetype>(bytes->getSize())};
}

}  // namespace

QByteArray writePdf(const Figure& figure) {
    requireLetters(figure);
    constexpr int resolution = 1200;  // only sets the grid to which Qt rounds clip rectangles
    const double widthPt = figure.widthMm * 72 / 25.4, heightPt = figure.heightMm * 72 / 25.4;
    // Qt rounds the page to whole points: draw on one that is large enough, then set its box to the exact
    // size.
    const QSize page(static_cast<int>(std::ceil(widthPt)), static_cast<int>(std::ceil(heightPt)));
    QByteArray drawn;
    QBuffer buffer(&drawn);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(resolution);
    writer.setTitle(figure.title);
    writer.setCreator("Stagecraft");
    writer.setPageSize(QPageSize(page, QString(), QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    QPainter painter(&writer);
    paintFigure(painter, figure, resolution / 25.4);
    painter.end();

    QPDF pdf;
    pdf.processMemoryFile("figure", drawn.constData(), static_cast<std::size_t>(drawn.size()));
    setPageBox(pdf, page.height(), widthPt, heightPt);
    nameSpaces(pdf);
    return withoutDateAndId(pdf);
}

FigureFormat pdfFormat() {
    FigureFormat format{QStringLiteral("pdf"), QStringLiteral("PDF"), {QStringLiteral("pdf")}};
    format.mimeType = QStringLiteral("application/pdf");
    format.write = [](const Figure& figure, const FigureStyle&) { return writePdf(figure); };
    return format;
}

}  // namespace stagecraft::views::figures
