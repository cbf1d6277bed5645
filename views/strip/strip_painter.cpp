#include "views/strip/strip_painter.h"

#include "core/editing/recompute_modes.h"
#include "views/common/text.h"
#include "views/common/theme.h"

#include <QPainter>
#include <QRegularExpression>

namespace stagecraft::views::strip {

namespace {

/// "TP 8 SP, CP 2, EP 16", as the field abbreviates tensor, sequence, context and expert parallelism; ""
/// without a group.
QString groupMark(const Group& group) {
    QStringList marks;
    for (const auto& [mark, degree] :
         {std::pair("TP", group.tensor), std::pair("CP", group.context), std::pair("EP", group.expert)})
        if (degree > 1) marks << QStringLiteral("%1 %2").arg(QLatin1String(mark)).arg(degree);
    if (group.sequenceParallel) marks.front() += QStringLiteral(" SP");
    return marks.join(QStringLiteral(", "));
}

constexpr double round = 3;
constexpr double titleInset = 5;      // beside the handle of a boundary
constexpr double leastSeparated = 4;  // pixels of a layer that is separated from its neighbour
constexpr double markHeight = 3;      // of what is recomputed or swapped

class StripPainter {
public:
    StripPainter(QPainter& painter, const Problem& problem, const Plan& plan, const StripLayout& layout,
                 const StripMarks& marks, const QFont& font)
        : painter_(painter), problem_(problem), plan_(plan), layout_(layout), marks_(marks), font_(font) {}

    void paint() {
        painter_.setRenderHint(QPainter::Antialiasing);
        painter_.save();
        painter_.setClipRect(
            QRectF(layout_.ribbon.left() - 2, 0, layout_.ribbon.width() + 4, stripHeight() + 4));
        for (const StripLayout::StageBox& box : layout_.stages)
            if (box.layers.intersects(layout_.ribbon)) paintStage(box);
        for (const StripLayout::StageBox& box : layout_.stages)
            if (box.stage == marks_.boundary) paintBoundary(box.layers.right(), box);
        paintPart();
        painter_.restore();
        paintFree();
        for (const StripLayout::Chip& chip : layout_.chips) paintChip(chip);
        if (marks_.carried) paintCarried();
    }

private:
    const Stage& stageOf(int index) const { return plan_.stages[static_cast<std::size_t>(index)]; }
    QColor colourOf(int stage) const { return stageColour(stage, plan_.stageCount()); }

    void paintStage(const StripLayout::StageBox& box) {
        const QColor colour = colourOf(box.stage);
        if (box.stage == marks_.chosen || box.stage == marks_.target) {
            QColor wash = box.stage == marks_.target ? theme_.accent : theme_.text;
            wash.setAlpha(box.stage == marks_.target ? 50 : 20);
            painter_.fillRect(box.title.united(box.gpus).adjusted(-1, 0, 1, 1), wash);
        }
        painter_.fillRect(box.layers.adjusted(0.5, 0, -0.5, 0), colour);
        paintLayers(box);
        for (const MemoryMark& mark : memoryMarks(layout_, plan_, stageOf(box.stage), box.layers))
            paintMemory(mark);
        paintTitle(box);
        if (box.stage == marks_.chosen && marks_.focused) {
            painter_.setPen(QPen(theme_.accent, 1.5));
            painter_.setBrush(Qt::NoBrush);
            painter_.drawRect(box.layers.adjusted(0.5, 0, -0.5, 0));
        }
    }

    void paintLayers(const StripLayout::StageBox& box) {
        QColor line = theme_.surface;
        line.setAlpha(150);
        painter_.setPen(QPen(line, 1));
        const QColor ink = readableOn(colourOf(box.stage));
        painter_.setFont(chipFont(font_));
        const QFontMetricsF metrics(chipFont(font_));
        const Stage& stage = stageOf(box.stage);
        for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer) {
            const double left = layout_.edges[static_cast<std::size_t>(layer)];
            const double right = layout_.edges[static_cast<std::size_t>(layer) + 1];
            if (layer > stage.firstLayer && right - left >= leastSeparated) {
                painter_.setPen(QPen(line, 1));
                painter_.drawLine(QPointF(left, box.layers.top()), QPointF(left, box.layers.bottom()));
            }
        }
        for (const auto& [place, number] : layerNumbers(layout_, stage, box.layers, metrics)) {
            const double width = metrics.horizontalAdvance(number) + 4;
            // A range is written across the lines between layers.
            painter_.fillRect(QRectF(place.center().x() - width / 2, place.top(), width, place.height()),
                              colourOf(box.stage));
            painter_.setPen(ink);
            painter_.drawText(place, Qt::AlignCenter, number);
        }
    }

    /// Selective recomputation is a broken line, for most stays.
    void paintMemory(const MemoryMark& mark) {
        painter_.fillRect(mark.place.adjusted(0, -1, 0, 0), theme_.surface);
        const bool swapped = mark.memory == LayerMemory::swap;
        const QColor colour = shownBlockColour(swapped ? BlockKind::swapOut : BlockKind::recompute);
        if (mark.memory != LayerMemory::selective) return painter_.fillRect(mark.place, colour);
        for (double x = mark.place.left(); x < mark.place.right(); x += 2 * markHeight)
            painter_.fillRect(QRectF(x, mark.place.top(), markHeight, markHeight) & mark.place, colour);
    }

    void paintTitle(const StripLayout::StageBox& box) {
        const Stage& stage = stageOf(box.stage);
        const QString name = stageMark(box.stage);
        const QString range = stage.firstLayer == stage.lastLayer
                                  ? QStringLiteral("[%1]").arg(stage.firstLayer)
                                  : QStringLiteral("[%1–%2]").arg(stage.firstLayer).arg(stage.lastLayer);
        const QString times = QStringLiteral("×%1").arg(stage.devices.size());
        const QString group = groupMark(stage.group);
        QRectF room = box.title;
        if (!box.minus.isEmpty()) room.setRight(box.minus.left());
        painter_.setFont(chipFont(font_));
        const QFontMetricsF metrics(painter_.font());
        painter_.setPen(theme_.text);
        const QString whole = name + ' ' + range + ' ' + times;
        const QString memory = qtText(layerMemoryText(plan_, stage.firstLayer, stage.lastLayer));
        QString most = whole;
        for (const QString& more : {group, memory})
            if (!more.isEmpty()) most += QStringLiteral(" · ") + more;
        for (const QString& text : {most, whole, name + ' ' + times, name})
            if (metrics.horizontalAdvance(text) + titleInset <= room.width()) {
                painter_.drawText(room.adjusted(titleInset, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
                break;
            }
        if (box.minus.isEmpty()) return;
        painter_.setPen(stage.devices.size() > 1 ? theme_.mutedText : theme_.line);
        painter_.drawText(box.minus, Qt::AlignCenter, QStringLiteral("−"));
        painter_.setPen(layout_.freeTitle.isEmpty() ? theme_.line : theme_.mutedText);
        painter_.drawText(box.plus, Qt::AlignCenter, QStringLiteral("+"));
    }

    /// Under a ribbon that is wider than the strip, which part of it shows.
    void paintPart() {
        const QRectF& shown = layout_.ribbon;
        const double all = layout_.edges.back() - layout_.edges.front();
        if (all <= shown.width() + 1) return;
        const double from = (shown.left() - layout_.edges.front()) / all, part = shown.width() / all;
        painter_.fillRect(
            QRectF(shown.left() + from * shown.width(), shown.bottom() + 0.5, part * shown.width(), 2),
            theme_.mutedText);
    }

    void paintFree() {
        if (layout_.freeTitle.isEmpty()) return;
        painter_.setFont(chipFont(font_));
        painter_.setPen(theme_.mutedText);
        painter_.drawText(layout_.freeTitle, Qt::AlignLeft | Qt::AlignVCenter, QObject::tr("free"));
    }

    QString shortName(int device, double width) const {
        const QString id =
            QString::fromStdString(problem_.cluster.devices[static_cast<std::size_t>(device)].id);
        const QFontMetricsF metrics(chipFont(font_));
        // Of "s3.g1" and of "s3g1" the end says most.
        const QString tail = QRegularExpression(QStringLiteral("[A-Za-z]*[0-9]+$")).match(id).captured();
        for (const QString& text : {id, tail})
            if (!text.isEmpty() && metrics.horizontalAdvance(text) + 2 <= width) return text;
        return {};
    }

    void paintChip(const StripLayout::Chip& chip) {
        const bool marked = chip.device == marks_.chip;
        const QColor colour = chip.stage < 0 ? theme_.mutedText : colourOf(chip.stage);
        QColor fill = colour;
        fill.setAlpha(marked ? 110 : 50);
        const bool narrow = chip.box.width() < 6;
        painter_.setPen(narrow ? QPen(Qt::NoPen) : QPen(marked ? theme_.accent : colour, marked ? 1.5 : 1));
        painter_.setBrush(narrow ? colour : fill);
        painter_.drawRoundedRect(chip.box.adjusted(0.5, 0.5, -0.5, -0.5), narrow ? 0 : round,
                                 narrow ? 0 : round);
        painter_.setPen(theme_.text);
        painter_.setFont(chipFont(font_));
        painter_.drawText(chip.box, Qt::AlignCenter, shortName(chip.device, chip.box.width()));
    }

    void paintBoundary(double x, const StripLayout::StageBox& box) {
        const QRectF handle(x - 2, box.title.top() + 2, 4, box.layers.bottom() - box.title.top() - 2);
        painter_.setPen(QPen(theme_.surface, 1));
        painter_.setBrush(marks_.grabbed ? theme_.accent : theme_.text);
        painter_.drawRoundedRect(handle, 2, 2);
    }

    void paintCarried() {
        const QString id =
            QString::fromStdString(problem_.cluster.devices[static_cast<std::size_t>(marks_.chip)].id);
        painter_.setFont(chipFont(font_));
        QRectF box(0, 0, QFontMetricsF(painter_.font()).horizontalAdvance(id) + 12, 18);
        box.moveCenter(*marks_.carried);
        painter_.setPen(Qt::NoPen);
        painter_.setBrush(theme_.accent);
        painter_.drawRoundedRect(box, round, round);
        painter_.setPen(readableOn(theme_.accent));
        painter_.drawText(box, Qt::AlignCenter, id);
    }

    QPainter& painter_;
    const Problem& problem_;
    const Plan& plan_;
    const StripLayout& layout_;
    const StripMarks& marks_;
    const QFont& font_;
    const Theme& theme_ = Theme::current();
};

}  // namespace

std::vector<std::pair<QRectF, QString>> layerNumbers(const StripLayout& layout, const Stage& stage,
                                                     const QRectF& layers, const QFontMetricsF& metrics) {
    const auto fits = [&](const QString& text, double width) {
        return metrics.horizontalAdvance(text) + 4 <= width;
    };
    std::vector<std::pair<QRectF, QString>> numbers;
    for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer) {
        const double left = layout.edges[static_cast<std::size_t>(layer)];
        const double width = layout.edges[static_cast<std::size_t>(layer) + 1] - left;
        if (const QString number = QString::number(layer); fits(number, width))
            numbers.emplace_back(QRectF(left, layers.top(), width, layers.height()), number);
    }
    const int all = stage.lastLayer - stage.firstLayer + 1;
    if (2 * static_cast<int>(numbers.size()) >= all) return numbers;
    const QRectF shown = layers.intersected(layout.ribbon);
    const QString range = QStringLiteral("%1–%2").arg(stage.firstLayer).arg(stage.lastLayer);
    numbers.clear();
    if (fits(range, shown.width()))
        numbers.emplace_back(QRectF(shown.left(), layers.top(), shown.width(), layers.height()), range);
    return numbers;
}

std::vector<MemoryMark> memoryMarks(const StripLayout& layout, const Plan& plan, const Stage& stage,
                                    const QRectF& layers) {
    std::vector<MemoryMark> marks;
    for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer) {
        const LayerMemory memory = plan.layerMemory(layer);
        if (memory == LayerMemory::keep) continue;
        const double left = layout.edges[static_cast<std::size_t>(layer)];
        const double right = layout.edges[static_cast<std::size_t>(layer) + 1];
        const bool joins = memory == LayerMemory::recompute && layer > stage.firstLayer &&
                           plan.layerMemory(layer - 1) == memory;
        const double between = right - left >= leastSeparated ? 1 : 0;
        if (joins)
            marks.back().place.setRight(right - between);
        else
            marks.push_back({{QPointF(left + between, layers.bottom() - markHeight),
                              QPointF(right - between, layers.bottom())},
                             memory});
    }
    return marks;
}

QFont chipFont(QFont font) {
    font.setPointSizeF(font.pointSizeF() * 0.85);
    return font;
}

void paintStrip(QPainter& painter, const Problem& problem, const Plan& plan, const StripLayout& layout,
                const StripMarks& marks, const QFont& font) {
    StripPainter(painter, problem, plan, layout, marks, font).paint();
}

}  // namespace stagecraft::views::strip
