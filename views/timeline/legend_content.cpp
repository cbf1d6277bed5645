#include "views/timeline/legend_content.h"

#include "views/common/block_numbers.h"
#include "views/common/theme.h"
#include "views/timeline/block_raster.h"
#include "views/timeline/gantt_overlays.h"
#include "views/timeline/inside_overlay.h"
#include "views/timeline/planned_outlines.h"

#include <algorithm>
#include <array>

namespace stagecraft::views::timeline {

namespace {
constexpr int chipWidth = 22;
constexpr int chipHeight = 12;
constexpr int legendLineHeight = 22;
constexpr int textGap = 6;
constexpr int itemGap = 18;
constexpr int stepGap = 10;  // between the steps of one scale
constexpr int margin = 8;

/// One lane, busy all along, as the chart paints it.
QImage chipImage(QSize size, const std::vector<std::uint8_t>& kinds, double scale) {
    QImage image(qRound(size.width() * scale), qRound(size.height() * scale), QImage::Format_RGB32);
    const auto columns = static_cast<std::size_t>(image.width());
    BlockRaster raster(image, RasterColours::current(), std::vector<bool>(columns, false),
                       std::max(1, qRound(scale)));
    raster.fillBackground();
    raster.paintLane(0, image.height(), kinds, std::vector<float>(columns * kinds.size(), 1.0f), {},
                     kinds.empty() ? 0 : image.width(), image.width());
    image.setDevicePixelRatio(scale);
    return image;
}

void paintPrediction(QPainter& painter, const QRect& chip) {
    const QColor colour = weightArrowColour();
    const QPointF from(chip.left() + 3, chip.center().y()), tip(chip.right(), chip.center().y());
    painter.setPen(QPen(colour, 1.6));
    painter.drawLine(from, tip - QPointF(6, 0));
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawEllipse(from, 2.5, 2.5);
    painter.drawPolygon(QPolygonF({tip, tip + QPointF(-8, 3.5), tip + QPointF(-8, -3.5)}));
}
}  // namespace

void LegendContent::setColouring(const BlockClasses& classes) {
    colouring_ = classes.colouring();
    title_ = classes.title();
    steps_ = classes.steps();
}

std::vector<LegendContent::Item> LegendContent::items() const {
    std::vector<Item> items;
    const auto add = [&](Sign sign, const QString& text, bool last = true) -> Item& {
        items.push_back({});
        items.back().sign = sign;
        items.back().text = text;
        items.back().last = last;
        return items.back();
    };
    if (colouring_ == BlockColouring::kind) {
        for (const BlockKind kind : kinds_) add(Sign::block, legendWord(kind, marks_.kernels)).kind = kind;
    } else {
        add(Sign::none, title_, false);
        for (const ColourStep& step : steps_) add(Sign::step, step.label, false).step = step;
        items.back().last = true;
        if (colouring_ != BlockColouring::staleness)
            add(Sign::none, QStringLiteral("light: forward, dark: backward"));
    }
    if (marks_.bubbles) add(Sign::bubble, QStringLiteral("bubble (idle)"));
    if (marks_.criticalPath) add(Sign::critical, QStringLiteral("critical path"));
    if (marks_.planned)
        add(Sign::planned, marks_.otherRun ? QStringLiteral("the other run") : QStringLiteral("planned"));
    if (marks_.inside) add(Sign::inside, QStringLiteral("sent within the stage"));
    if (marks_.updates) add(Sign::update, QStringLiteral("weight update"));
    if (marks_.bellwethers) add(Sign::bellwether, QStringLiteral("bellwether"));
    if (marks_.predictions) add(Sign::prediction, QStringLiteral("prediction"));
    if (!numbers_.isEmpty()) add(Sign::none, numbers_);
    return items;
}

QStringList LegendContent::texts() const {
    QStringList texts;
    for (const Item& item : items()) texts << item.text;
    return texts;
}

std::vector<LegendContent::Item> LegendContent::placed(int width, const QFontMetrics& metrics,
                                                       double scale) const {
    const auto scaled = [scale](int pixels) { return qRound(pixels * scale); };
    std::vector<Item> all = items();
    int x = scaled(margin), y = 0;
    for (Item& item : all) {
        const int chip = item.sign == Sign::none ? 0 : scaled(chipWidth);
        const int wide = chip + (chip ? scaled(textGap) : 0) + metrics.horizontalAdvance(item.text);
        if (x > scaled(margin) && x + wide > width - scaled(margin)) {
            x = scaled(margin);
            y += scaled(legendLineHeight);
        }
        item.chip = QRect(x, y + scaled(legendLineHeight - chipHeight) / 2, chip, scaled(chipHeight));
        x += wide + scaled(item.last ? itemGap : stepGap);
    }
    return all;
}

int LegendContent::heightFor(int width, const QFont& font, double scale) const {
    const std::vector<Item> all = placed(width, QFontMetrics(font), scale);
    if (all.empty()) return 0;
    return all.back().chip.bottom() + 1 + qRound((legendLineHeight - chipHeight) * scale) / 2 + 2;
}

void LegendContent::paintSign(QPainter& painter, const Item& item) {
    const Theme& theme = Theme::current();
    const double scale = painter.deviceTransform().m11();
    const QRect& chip = item.chip;
    painter.setBrush(Qt::NoBrush);
    switch (item.sign) {
        case Sign::none:
            break;
        case Sign::block:
            painter.drawImage(chip.topLeft(),
                              chipImage(chip.size(), {static_cast<std::uint8_t>(item.kind)}, scale));
            break;
        case Sign::step:
            painter.fillRect(chip, item.step.forward);
            painter.fillRect(chip.adjusted(chip.width() / 2, 0, 0, 0), item.step.backward);
            break;
        case Sign::bubble:
            painter.drawImage(chip.topLeft(), chipImage(chip.size(), {}, scale));
            painter.setPen(theme.line);
            painter.drawRect(chip.adjusted(0, 0, -1, -1));
            break;
        case Sign::critical:
            painter.setPen(QPen(theme.text, 2));
            painter.drawRect(chip.adjusted(1, 1, -1, -1));
            break;
        case Sign::planned:
            paintPlannedSample(painter, chip);
            break;
        case Sign::inside:
            paintInsideSample(painter, chip, shownBlockColour(BlockKind::forward));
            break;
        case Sign::update:
            drawUpdateMark(painter, QPointF(chip.center().x() + 0.5, chip.top() - 1), chip.height() + 2);
            break;
        case Sign::bellwether:
            painter.fillRect(chip, theme.line);
            drawBellwether(painter, chip.topLeft() + QPointF(1, 1), 7, theme.text);
            break;
        case Sign::prediction:
            paintPrediction(painter, chip);
            break;
    }
}

void LegendContent::paint(QPainter& painter, QPoint corner, int width, double scale) const {
    painter.save();
    painter.translate(corner);
    for (const Item& item : placed(width, QFontMetrics(painter.font()), scale)) {
        painter.setRenderHint(QPainter::Antialiasing, item.sign >= Sign::update);
        paintSign(painter, item);
        painter.setPen(Theme::current().mutedText);
        const int left =
            item.sign == Sign::none ? item.chip.left() : item.chip.right() + 1 + qRound(textGap * scale);
        const int above = qRound(4 * scale);
        painter.drawText(QRect(left, item.chip.top() - above, width, item.chip.height() + 2 * above),
                         Qt::AlignVCenter | Qt::AlignLeft, item.text);
    }
    painter.restore();
}

std::vector<BlockKind> kindsIn(const ChartData& data, bool communication) {
    std::array<bool, blockKindCount> present{};
    for (std::size_t lane = 0; lane < data.timeline().lanes.size(); ++lane)
        if (communication || data.timeline().lanes[lane].kind == LaneKind::compute)
            for (const std::uint8_t kind : data.busy.classes(static_cast<int>(lane))) present[kind] = true;
    std::vector<BlockKind> kinds;
    for (std::size_t kind = 0; kind < blockKindCount; ++kind)
        if (present[kind]) kinds.push_back(static_cast<BlockKind>(kind));
    return kinds;
}

QString numbersMeaning(const ChartData& data) {
    if (!data.runsOn()) return {};
    return data.numbers.microbatches() > 1 ? QStringLiteral("2.1: mini-batch 2, microbatch 1")
                                           : QStringLiteral("numbers: mini-batches");
}

LegendContent::Marks marksIn(const ChartData& data) {
    const auto some = [&data](auto which) {
        return std::any_of(data.marks.begin(), data.marks.end(),
                           [which](const LaneMarks& lane) { return !(lane.*which).empty(); });
    };
    LegendContent::Marks marks;
    marks.updates = some(&LaneMarks::updates);
    marks.bellwethers = some(&LaneMarks::bellwethers);
    marks.inside = data.inside.any();
    return marks;
}

}  // namespace stagecraft::views::timeline
