#include "views/play/plan_band.h"

#include "core/base/units.h"
#include "views/common/theme.h"
#include "views/play/presenting.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft::views::play {

namespace {

constexpr double plainBlockPixels = 11;  // of the text in blocks, in a window
constexpr double leastBlockPart = 0.6;   // of the type: smaller numbers nobody reads
constexpr double mostLanePart = 0.72;    // of a lane's height, that its text has
constexpr double cursorPart = 0.11;      // of the type's size: how wide the playhead is
constexpr int leastLabelPixels = 8;
constexpr int widestNumber = 99;

/// The first pass of each lane that computes, the shortest of them.
double shortPassS(const ChartData& data) {
    double shortest = std::numeric_limits<double>::infinity();
    for (const Lane& lane : data.timeline().lanes) {
        if (lane.kind != LaneKind::compute) continue;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
            if (data.timeline().microbatch[block] >= 0 && data.timeline().durationS(block) > 0) {
                shortest = std::min(shortest, data.timeline().durationS(block));
                break;
            }
    }
    return shortest;
}

/// Height in pixels, of the rows that compute.
int lowestOf(const std::vector<LaneRow>& rows) {
    int lowest = std::numeric_limits<int>::max();
    for (const LaneRow& row : rows)
        if (!row.thin) lowest = std::min(lowest, row.height);
    return lowest;
}

}  // namespace

PlanBand::PlanBand(std::shared_ptr<const PlayData> data, bool communication, bool cluster)
    : data_(std::move(data)), words_(data_), memory_(data_->chart) {
    if (cluster) cluster_.emplace(data_);
    shortPassS_ = shortPassS(*data_->chart);
    scene_.data = data_->chart;
    scene_.communication = communication;
    scene_.setRows(laneRows(*data_->run, communication));
}

void PlanBand::layOut(const Places& places, const QFont& font) {
    places_ = places;
    font_ = font;
    fillWithRows(scene_.rows, places_.lanes.height());
    lowestLane_ = lowestOf(scene_.rows);
    labelFont_ = labelFontFor(font, lowestLane_, places_.labels.width());
    blockPixels_ = 0;
    if (cluster_) cluster_->layOut(places_.cluster);
    scene_.tickSpacing = timeTickSpacing * font.pixelSize() / plainTypePixels;
}

bool PlanBand::lanesHoldNumbers() const {
    return lowestLane_ * mostLanePart >= leastBlockPart * font_.pixelSize();
}

double PlanBand::labelWidth(const QFont& font) const {
    const QFontMetricsF metrics(font);
    double widest = 0;
    for (const LaneRow& row : scene_.rows) widest = std::max(widest, metrics.horizontalAdvance(row.label));
    return widest;
}

double PlanBand::labelWidth(const QFont& font, int lanesHeight) const {
    std::vector<LaneRow> rows = scene_.rows;
    fillWithRows(rows, lanesHeight);
    return labelWidth(labelFontFor(font, lowestOf(rows), std::numeric_limits<double>::infinity()));
}

/// As large as the type, unless lanes are too low for it, or labels too long.
QFont PlanBand::labelFontFor(const QFont& type, int lowestLane, double room) const {
    QFont font = type;
    font.setPixelSize(std::clamp(static_cast<int>(lowestLane * mostLanePart), leastLabelPixels,
                                 std::max(leastLabelPixels, type.pixelSize())));
    if (const double wide = labelWidth(font); wide > room)
        font.setPixelSize(std::max(leastLabelPixels, static_cast<int>(font.pixelSize() * room / wide)));
    return font;
}

void PlanBand::paint(QPainter& painter, const TimeAxis& axis, double fullBytes, double timeS) {
    paintLabels(painter);
    setBlockType(axis);
    const double shownS = std::min(timeS, data_->chart->endS);
    scene_.stepS = shownS;
    painter_.paint(painter, scene_, places_.lanes, axis);
    QFont small = font_;
    small.setPixelSize(std::max(leastLabelPixels, font_.pixelSize() * 3 / 4));
    painter.setFont(small);
    memory_.paint(painter, places_.memory, axis, fullBytes, shownS);
    paintMemoryLabels(painter, fullBytes);
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const QRect& area : {places_.lanes, places_.memory})
        paintCursor(painter, QRectF(area), axis.toX(shownS), {},
                    std::max(2.0, std::round(cursorPart * font_.pixelSize())));
    paintWords(painter, timeS);
    if (cluster_) cluster_->paint(painter, font_, timeS);
}

/// Numbers as large as the type where they have room in a short pass.
void PlanBand::setBlockType(const TimeAxis& axis) {
    const BlockNumbers& numbers = data_->chart->numbers;
    const QString widest = numbers.text(std::min(numbers.miniBatches() - 1, widestNumber),
                                        std::min(numbers.microbatches() - 1, widestNumber));
    const double room = shortPassS_ / axis.secondsPerPixel() - 4;
    const double fitting =
        font_.pixelSize() * room / std::max(1.0, QFontMetricsF(font_).horizontalAdvance(widest));
    const double pixels = std::clamp(std::min(fitting, lowestLane_ * mostLanePart),
                                     leastBlockPart * font_.pixelSize(), double(font_.pixelSize()));
    if (std::round(pixels) == blockPixels_) return;
    blockPixels_ = std::round(pixels);
    painter_.setFont(font_, blockPixels_ / plainBlockPixels);
}

void PlanBand::paintLabels(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const int stages = data_->chart->plan().stageCount();
    int free = std::numeric_limits<int>::min();  // what is above has a label already
    for (const LaneRow& row : scene_.rows) {
        const int top = places_.lanes.top() + row.top;
        if (row.stage >= 0)
            painter.fillRect(QRect(places_.labels.left() - font_.pixelSize() / 2, top,
                                   std::max(3, font_.pixelSize() / 4), row.height),
                             stageColour(row.stage, stages));
        const int height = row.half ? 2 * row.height : row.height;
        if (row.label.isEmpty() || top + height / 2 - labelFont_.pixelSize() / 2 < free) continue;
        QFont font = labelFont_;
        if (row.thin) font.setPixelSize(std::clamp(height, leastLabelPixels, labelFont_.pixelSize()));
        painter.setFont(font);
        painter.setPen(row.thin ? theme.mutedText : theme.text);
        const QRect box(places_.labels.left(), top, places_.labels.width(), height);
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip,
                         QFontMetricsF(font).elidedText(row.label, Qt::ElideMiddle, box.width() + 1));
        free = top + height / 2 + font.pixelSize() / 2;
    }
}

/// The scale, which all plans of a picture share, and what it is a scale of.
void PlanBand::paintMemoryLabels(QPainter& painter, double fullBytes) const {
    if (places_.memory.isEmpty() || fullBytes <= 0) return;
    const QRect box(places_.labels.left(), places_.memory.top(), places_.labels.width(),
                    places_.memory.height());
    const QFontMetrics metrics(painter.font());
    painter.setPen(Theme::current().mutedText);
    const QString scale = memoryScale(fullBytes);
    const QString what = QStringLiteral("Memory");
    if (metrics.horizontalAdvance(what + ' ' + scale) <= box.width()) {
        painter.drawText(box, Qt::AlignRight | Qt::AlignTop, scale);
        painter.drawText(box, Qt::AlignLeft | Qt::AlignTop, what);
        return;
    }
    painter.drawText(box, Qt::AlignRight | Qt::AlignTop, scale);
    if (box.height() >= 2 * metrics.height()) painter.drawText(box, Qt::AlignLeft | Qt::AlignBottom, what);
}

QFont PlanBand::bold() const {
    QFont font = font_;
    font.setBold(true);
    return font;
}

QString PlanBand::memoryScale(double fullBytes) {
    return QStringLiteral("0–") + QString::fromStdString(formatBytes(fullBytes));
}

QString PlanBand::name() const {
    return QStringLiteral("%1 · %2").arg(QString::fromStdString(data_->run->title()),
                                         QString::fromStdString(formatSeconds(data_->run->iterationTimeS())));
}

double PlanBand::wordsRoom() const {
    const double named =
        places_.named ? QFontMetricsF(bold()).horizontalAdvance(name()) + font_.pixelSize() : 0;
    return places_.words.width() - named;
}

QString PlanBand::words(double timeS) const { return words_.line(timeS, QFontMetricsF(font_), wordsRoom()); }

void PlanBand::paintWords(QPainter& painter, double timeS) const {
    painter.setPen(Theme::current().text);
    if (places_.named) {
        painter.setFont(bold());
        painter.drawText(places_.words, Qt::AlignLeft | Qt::AlignVCenter, name());
    }
    painter.setFont(font_);
    const int left = places_.words.width() - static_cast<int>(wordsRoom());
    painter.drawText(places_.words.adjusted(left, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, words(timeS));
}

}  // namespace stagecraft::views::play
