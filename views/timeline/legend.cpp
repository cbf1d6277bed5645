#include "views/timeline/legend.h"

#include "views/common/theme.h"
#include "views/timeline/block_raster.h"
#include "views/timeline/gantt_weight_marks.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>

namespace stagecraft::views {

namespace {
constexpr int chipWidth = 22;
constexpr int chipHeight = 12;
constexpr int legendLineHeight = 22;
constexpr int textGap = 6;
constexpr int itemGap = 18;
constexpr int stepGap = 10;  // between the steps of one scale
constexpr int margin = 8;

/// One lane, busy all along, as the chart paints it.
QImage chipImage(const std::vector<std::uint8_t>& kinds, double scale) {
    QImage image(qRound(chipWidth * scale), qRound(chipHeight * scale), QImage::Format_RGB32);
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

Legend::Legend(QWidget* parent) : QWidget(parent) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void Legend::setKinds(std::vector<BlockKind> kinds) {
    kinds_ = std::move(kinds);
    changed();
}

void Legend::setColouring(const BlockClasses& classes) {
    colouring_ = classes.colouring();
    title_ = classes.title();
    steps_ = classes.steps();
    changed();
}

void Legend::setMarks(const Marks& marks) {
    marks_ = marks;
    changed();
}

void Legend::setNumbers(const QString& meaning) {
    numbers_ = meaning;
    changed();
}

void Legend::changed() {
    updateGeometry();
    update();
}

std::vector<Legend::Item> Legend::items() const {
    std::vector<Item> items;
    const auto add = [&](Sign sign, const QString& text, bool last = true) -> Item& {
        items.push_back({});
        items.back().sign = sign;
        items.back().text = text;
        items.back().last = last;
        return items.back();
    };
    if (colouring_ == BlockColouring::kind) {
        for (const BlockKind kind : kinds_) add(Sign::block, blockKindName(kind)).kind = kind;
    } else {
        add(Sign::none, title_, false);
        for (const ColourStep& step : steps_) add(Sign::step, step.label, false).step = step;
        items.back().last = true;
        if (colouring_ != BlockColouring::staleness)
            add(Sign::none, QStringLiteral("light: forward, dark: backward"));
    }
    if (marks_.bubbles) add(Sign::bubble, QStringLiteral("bubble (idle)"));
    if (marks_.criticalPath) add(Sign::critical, QStringLiteral("critical path"));
    if (marks_.updates) add(Sign::update, QStringLiteral("weight update"));
    if (marks_.bellwethers) add(Sign::bellwether, QStringLiteral("bellwether"));
    if (marks_.predictions) add(Sign::prediction, QStringLiteral("prediction"));
    if (!numbers_.isEmpty()) add(Sign::none, numbers_);
    return items;
}

QStringList Legend::texts() const {
    QStringList texts;
    for (const Item& item : items()) texts << item.text;
    return texts;
}

std::vector<Legend::Item> Legend::placed(int width) const {
    std::vector<Item> all = items();
    int x = margin, y = 0;
    for (Item& item : all) {
        const int chip = item.sign == Sign::none ? 0 : chipWidth;
        const int wide = chip + (chip ? textGap : 0) + fontMetrics().horizontalAdvance(item.text);
        if (x > margin && x + wide > width - margin) {
            x = margin;
            y += legendLineHeight;
        }
        item.chip = QRect(x, y + (legendLineHeight - chipHeight) / 2, chip, chipHeight);
        x += wide + (item.last ? itemGap : stepGap);
    }
    return all;
}

int Legend::heightForWidth(int width) const {
    const std::vector<Item> all = placed(width);
    return all.empty() ? 0 : all.back().chip.bottom() + 1 + (legendLineHeight - chipHeight) / 2 + 2;
}

QSize Legend::sizeHint() const { return {200, legendLineHeight + 2}; }

void Legend::paintSign(QPainter& painter, const Item& item) const {
    const Theme& theme = Theme::current();
    const double scale = painter.deviceTransform().m11();
    const QRect& chip = item.chip;
    painter.setBrush(Qt::NoBrush);
    switch (item.sign) {
        case Sign::none:
            break;
        case Sign::block:
            painter.drawImage(chip.topLeft(), chipImage({static_cast<std::uint8_t>(item.kind)}, scale));
            break;
        case Sign::step:
            painter.fillRect(chip, item.step.forward);
            painter.fillRect(chip.adjusted(chipWidth / 2, 0, 0, 0), item.step.backward);
            break;
        case Sign::bubble:
            painter.drawImage(chip.topLeft(), chipImage({}, scale));
            painter.setPen(theme.line);
            painter.drawRect(chip.adjusted(0, 0, -1, -1));
            break;
        case Sign::critical:
            painter.setPen(QPen(theme.text, 2));
            painter.drawRect(chip.adjusted(1, 1, -1, -1));
            break;
        case Sign::update:
            drawUpdateMark(painter, QPointF(chip.center().x() + 0.5, chip.top() - 1), chipHeight + 2);
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

void Legend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    for (const Item& item : placed(width())) {
        painter.setRenderHint(QPainter::Antialiasing, item.sign >= Sign::update);
        paintSign(painter, item);
        painter.setPen(Theme::current().mutedText);
        const int left = item.sign == Sign::none ? item.chip.left() : item.chip.right() + 1 + textGap;
        painter.drawText(QRect(left, item.chip.top() - 4, 800, chipHeight + 8),
                         Qt::AlignVCenter | Qt::AlignLeft, item.text);
    }
}

void Legend::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) update();
}

}  // namespace stagecraft::views
