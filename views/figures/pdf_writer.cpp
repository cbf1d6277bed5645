#include "views/figures/pdf_rewriting.h"
#include "views/figures/writers.h"

#include <QBuffer>
#include <QPainter>
#include <QPdfWriter>

#include <cmath>

namespace stagecraft {

QByteArray writePdf(const Figure& figure) {
    constexpr int resolution = 1200;  // only sets the grid to which Qt rounds clip rectangles
    const double widthPt = figure.widthMm * 72 / 25.4, heightPt = figure.heightMm * 72 / 25.4;
    // Qt rounds the page to whole points: draw on one that is large enough, then set its box to the exact
    // size.
    const QSize page(static_cast<int>(std::ceil(widthPt)), static_cast<int>(std::ceil(heightPt)));
    QByteArray bytes;
    QBuffer buffer(&bytes);
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
    return withExactPage(bytes, page.height(), widthPt, heightPt);
}

}  // namespace stagecraft
