#include "views/figures/legend.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stagecraft::views::figures {

namespace {

constexpr double edgeMm = 0.4;
constexpr double chipEms = 1.4, chipGapEms = 0.4;

}  // namespace

void renameEntries(std::vector<LegendEntry>& entries, const std::string& names) {
    const QString all = QString::fromStdString(names).trimmed();
    if (all.isEmpty()) return;
    for (const QString& piece : all.split('|')) {
        const qsizetype equals = piece.indexOf('=');
        if (equals < 0)
            throw std::invalid_argument("legend names cannot have '" + piece.trimmed().toStdString() +
                                        "'; expected ENTRY=WORDS, such as forward=F|backward=B");
        const QString entry = piece.left(equals).trimmed(), words = piece.mid(equals + 1).trimmed();
        for (LegendEntry& each : entries)
            if (each.text == entry) each.text = words;
    }
    std::erase_if(entries, [](const LegendEntry& each) { return each.text.isEmpty(); });
}

double legendTextRoomMm(double leftMm, double rightMm, double fontPt) {
    return rightMm - leftMm - (chipEms + chipGapEms) * mmOfPoints(fontPt);
}

double addLegend(Figure& figure, const std::vector<LegendEntry>& entries, double leftMm, double rightMm,
                 double topMm, double fontPt) {
    if (entries.empty()) return 0;
    const double em = mmOfPoints(fontPt);
    const double box = chipEms * em, gap = chipGapEms * em, row = 1.35 * em;
    double widest = 0;
    for (const LegendEntry& entry : entries) widest = std::max(widest, textWidthMm(entry.text, fontPt));
    const double between = 1.1 * em, column = box + gap + widest + between;
    // What is wider than the room begins further left.
    leftMm = std::min(leftMm, std::max(edgeMm, rightMm - (column - between)));
    const int columns = std::clamp(static_cast<int>((rightMm - leftMm + between) / column), 1,
                                   static_cast<int>(entries.size()));
    double all = -between;  // in one row, each as wide as its text
    for (const LegendEntry& entry : entries) all += box + gap + textWidthMm(entry.text, fontPt) + between;
    const bool oneRow = all <= rightMm - leftMm;
    double next = leftMm;
    for (int i = 0; i < static_cast<int>(entries.size()); ++i) {
        const LegendEntry& entry = entries[static_cast<std::size_t>(i)];
        const double x = oneRow ? next : leftMm + (i % columns) * column;
        const double middle = topMm + (oneRow ? 0.5 : i / columns + 0.5) * row;
        next += box + gap + textWidthMm(entry.text, fontPt) + between;
        const QRectF chip(x, middle - 0.4 * em, box, 0.8 * em);
        if (entry.sign)
            entry.sign(figure, chip);
        else if (entry.line)
            figure.add(
                FigureLine{QPointF(x, middle), QPointF(x + box, middle), entry.stroke, false, entry.role});
        else
            figure.add(FigureRectangle{chip, entry.fill, entry.stroke, entry.role});
        figure.add(FigureText{QPointF(x + box + gap, middle), entry.text, fontPt, TextAnchor::start,
                              TextRise::middle});
    }
    return oneRow ? row : std::ceil(double(entries.size()) / columns) * row;
}

}  // namespace stagecraft::views::figures
