#include "views/play/play_picture.h"

#include "core/base/units.h"
#include "views/common/theme.h"
#include "views/play/presenting.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace stagecraft::views::play {

namespace {

constexpr double titlePart = 1.25, smallPart = 0.8;  // of the type's size
constexpr double mostLabelPart = 0.34;               // of the width
constexpr double memoryPart = 0.2;                   // of a plan's height
constexpr double clusterPart = 0.42, clusterPartBelow = 0.34, clusterPartOfSeveral = 0.3;
constexpr double muchLarger = 1.5;  // a cluster below the lanes than beside them
constexpr int tickLength = 5, leastTypePixels = 8;

}  // namespace

PlayPicture::PlayPicture(const std::vector<std::shared_ptr<const PlayData>>& plans, const QFont& family,
                         const PictureStyle& style)
    : font_(family), style_(style) {
    font_.setPixelSize(std::max(leastTypePixels, static_cast<int>(std::lround(style.typePixels))));
    std::set<BlockKind> kinds;
    LegendContent::Marks marks;
    bands_.reserve(plans.size());
    for (const auto& plan : plans) {
        bands_.emplace_back(plan, style.communication, style.cluster);
        for (const BlockKind kind : kindsIn(*plan->chart, style.communication || style.cluster))
            kinds.insert(kind);
        const LegendContent::Marks own = marksIn(*plan->chart);
        marks.updates |= own.updates;
        marks.bellwethers |= own.bellwethers;
        marks.inside |= own.inside;
        fullBytes_ = std::max(fullBytes_, plan->fullBytes);
    }
    legend_.setKinds({kinds.begin(), kinds.end()});
    legend_.setMarks(marks);
    if (plans.size() == 1) legend_.setNumbers(numbersMeaning(*plans.front()->chart));
    std::tie(axis_.t0, axis_.t1) = span();
}

std::pair<double, double> PlayPicture::span() const {
    double begin = 0, end = 0;
    for (const PlanBand& band : bands_) {
        begin = std::min(begin, band.data().chart->timeline().firstStartS());
        end = std::max(end, band.data().chart->endS);
    }
    return {begin, begin < end ? end : begin + 1};
}

void PlayPicture::setSize(QSize size) {
    if (size == size_) return;
    size_ = size;
    layOut();
}

void PlayPicture::setRange(double t0, double t1) {
    axis_.t0 = t0;
    axis_.t1 = t1;
}

QFont PlayPicture::sized(double part, bool bold) const {
    QFont font = font_;
    font.setPixelSize(std::max(8, static_cast<int>(std::lround(part * font_.pixelSize()))));
    font.setBold(bold);
    return font;
}

int PlayPicture::lineHeight() const { return static_cast<int>(std::ceil(QFontMetricsF(font_).height())); }

/// As large as the type is wanted. Where several plans leave their lanes too low for numbers, words give way
/// to them: as large as lets numbers be read, if any size of half that or more does.
void PlayPicture::layOut() {
    const int wanted = std::max(leastTypePixels, static_cast<int>(std::lround(style_.typePixels)));
    const auto holdsNumbers = [](const PlanBand& band) { return band.lanesHoldNumbers(); };
    for (int pixels = wanted; bands_.size() > 1 && pixels >= std::max(leastTypePixels, wanted / 2);
         --pixels) {
        layOutAt(pixels);
        if (std::all_of(bands_.begin(), bands_.end(), holdsNumbers)) return;
    }
    layOutAt(wanted);
}

void PlayPicture::layOutAt(int typePixels) {
    font_.setPixelSize(typePixels);
    QRect whole = QRect(QPoint(), size_).adjusted(margin(), margin() / 2, -margin(), -margin() / 2);
    title_ = whole;
    title_.setHeight(QFontMetrics(sized(titlePart, true)).height());
    whole.setTop(title_.bottom() + margin() / 2);
    legendPlace_ = whole;
    const double scale = smallPart * font_.pixelSize() / plainTypePixels;
    legendPlace_.setTop(whole.bottom() - legend_.heightFor(whole.width(), sized(smallPart), scale));
    whole.setBottom(legendPlace_.top() - 1);
    layOutBands(whole);
}

/// Takes the cluster's place off the right or, of one that is much wider than high, off the bottom.
QRect PlayPicture::takeCluster(QRect& whole) const {
    if (!style_.cluster) return {};
    QRect place = whole;
    const double aspect = bands_.front().clusterAspect();
    const double wide = std::min(clusterPart * whole.width() / aspect, double(whole.height()));
    const double low = std::min(clusterPartBelow * whole.height(), whole.width() / aspect);
    if (bands_.size() == 1 && low > muchLarger * wide) {
        place.setTop(whole.bottom() - static_cast<int>(clusterPartBelow * whole.height()));
        whole.setBottom(place.top() - margin());
    } else {
        const double part = bands_.size() == 1 ? clusterPart : clusterPartOfSeveral;
        place.setLeft(whole.right() - static_cast<int>(part * whole.width()));
        whole.setRight(place.left() - margin());
    }
    return place;
}

/// Of one plan, off the bottom; several have their words above their lanes.
QRect PlayPicture::takeWords(QRect& whole) const {
    if (bands_.size() > 1) return {};
    QRect words = whole;
    words.setTop(whole.bottom() - lineHeight() * 5 / 4);
    whole.setBottom(words.top() - 1);
    return words;
}

void PlayPicture::layOutBands(QRect whole) {
    std::vector<PlanBand::Places> places(bands_.size());
    places.front().words = takeWords(whole);
    const int right = whole.right();
    const QRect cluster = takeCluster(whole);
    axisBottom_ = whole.top() + QFontMetrics(sized(smallPart)).height() + tickLength + 2;
    whole.setTop(axisBottom_);
    layOutRows(whole, right, places);
    double labels = QFontMetricsF(sized(smallPart)).horizontalAdvance(QStringLiteral("Memory 0–999 GiB"));
    for (std::size_t i = 0; i < bands_.size(); ++i)
        labels = std::max(labels, bands_[i].labelWidth(font_, places[i].lanes.height()));
    const int swatch = font_.pixelSize() / 2;
    const int column = 2 * swatch + static_cast<int>(std::min(labels + 2, mostLabelPart * whole.width()));
    axis_.x0 = whole.left() + column;
    axis_.width = std::max(1, whole.width() - column);
    for (std::size_t i = 0; i < bands_.size(); ++i) {
        PlanBand::Places& own = places[i];
        own.labels = QRect(whole.left() + swatch, own.lanes.top(), column - 2 * swatch, own.lanes.height());
        own.lanes.setLeft(whole.left() + column);
        if (!own.memory.isEmpty()) own.memory.setLeft(whole.left() + column);
        own.cluster = cluster;
        if (own.named && !cluster.isEmpty())
            own.cluster = QRect(cluster.left(), own.lanes.top(), cluster.width(),
                                std::max(own.lanes.bottom(), own.memory.bottom()) - own.lanes.top());
        bands_[i].layOut(own, font_);
    }
}

/// One above the other: a row is as high in one plan as in the other.
/// @param right to which the words of several reach
void PlayPicture::layOutRows(const QRect& whole, int right, std::vector<PlanBand::Places>& places) const {
    const int count = static_cast<int>(bands_.size()), between = count > 1 ? margin() / 2 : 0;
    const auto rowsOf = [](const PlanBand& band) { return std::max(2, band.rowCount()); };
    int rows = 0;
    for (const PlanBand& band : bands_) rows += rowsOf(band);
    const int words = count > 1 ? lineHeight() : 0;
    const int shared = std::max(0, whole.height() - count * words);
    double top = whole.top();
    for (std::size_t i = 0; i < bands_.size(); ++i) {
        const double height = words + double(shared) * rowsOf(bands_[i]) / rows;
        QRect place(whole.left(), static_cast<int>(top), whole.width(), static_cast<int>(height) - between);
        top += height;
        if (count > 1) {
            places[i].named = true;
            places[i].words = QRect(place.left(), place.top(), right - place.left(), words);
            place.setTop(place.top() + words);
        }
        placeRows(place, places[i]);
    }
}

/// The memory below the lanes, if it is wanted.
void PlayPicture::placeRows(QRect whole, PlanBand::Places& places) const {
    places.lanes = whole;
    if (!style_.memory) return;
    places.memory = whole;
    // Room for its labels, if that is no more than half.
    const int label = std::min(QFontMetrics(sized(smallPart)).height() + 2, whole.height() / 2);
    places.memory.setTop(whole.bottom() - std::max(label, static_cast<int>(memoryPart * whole.height())));
    places.lanes.setBottom(places.memory.top() - margin() / 2);
}

QString PlayPicture::title() const {
    QStringList names;
    for (const PlanBand& band : bands_) names << QString::fromStdString(band.data().run->title());
    return names.join(QStringLiteral(" · "));
}

/// What is trained, and of one plan how long an iteration takes.
QString PlayPicture::subtitle() const {
    const PlanRun& run = *bands_.front().data().run;
    QStringList parts;
    if (const std::string& name = run.costs->problem().profile.name; !name.empty())
        parts << QString::fromStdString(name);
    if (bands_.size() == 1)
        parts << QStringLiteral("iteration %1")
                     .arg(QString::fromStdString(formatSeconds(run.iterationTimeS())));
    return parts.join(QStringLiteral(" · "));
}

void PlayPicture::paint(QPainter& painter, double timeS) {
    painter.fillRect(QRect(QPoint(), size_), Theme::current().surface);
    paintTitle(painter);
    const QRectF under(axis_.x0, axisBottom_, axis_.width, 0);
    const QString now = QString::fromStdString(formatInstant(timeS, span().second / 1000));
    paintAxis(painter, cursorBadge(sized(smallPart), under, axis_.toX(timeS), now));
    for (PlanBand& band : bands_) band.paint(painter, axis_, fullBytes_, timeS);
    painter.setFont(sized(smallPart));
    paintCursor(painter, under, axis_.toX(timeS), now);
    painter.setFont(sized(smallPart));
    legend_.paint(painter, legendPlace_.topLeft(), legendPlace_.width(),
                  smallPart * font_.pixelSize() / plainTypePixels);
}

void PlayPicture::paintTitle(QPainter& painter) const {
    const QFont large = sized(titlePart, true);
    const QString subject = subtitle();
    const double beside = QFontMetricsF(font_).horizontalAdvance(subject) + margin();
    const QFontMetricsF metrics(large);
    const bool both = metrics.horizontalAdvance(title()) + beside <= title_.width();
    painter.setFont(large);
    painter.setPen(Theme::current().text);
    painter.drawText(title_, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(title(), Qt::ElideRight, title_.width()));
    if (!both) return;
    painter.setFont(font_);
    painter.setPen(Theme::current().mutedText);
    painter.drawText(title_, Qt::AlignRight | Qt::AlignVCenter, subject);
}

/// @param badge of the playhead, beside which no number is half hidden
void PlayPicture::paintAxis(QPainter& painter, const QRectF& badge) const {
    const Theme& theme = Theme::current();
    painter.setFont(sized(smallPart));
    painter.setRenderHint(QPainter::Antialiasing, false);
    const QFontMetricsF metrics(painter.font());
    const double right = axis_.x0 + axis_.width;
    painter.fillRect(QRectF(axis_.x0, axisBottom_ - 1, axis_.width, 1), theme.line);
    for (const TimeTick& tick : timeTicks(axis_, timeTickSpacing * font_.pixelSize() / plainTypePixels)) {
        const double x = std::floor(axis_.toX(tick.timeS));
        painter.fillRect(QRectF(x, axisBottom_ - tickLength, 1, tickLength), theme.line);
        const QString label = QString::fromStdString(tick.label);
        QRectF box(0, 0, metrics.horizontalAdvance(label) + 2, metrics.height());
        box.moveCenter({x, 0});
        box.moveBottom(axisBottom_ - tickLength - 1);
        if (box.right() > right + margin() || box.intersects(badge)) continue;
        painter.setPen(theme.mutedText);
        painter.drawText(box, Qt::AlignCenter, label);
    }
}

}  // namespace stagecraft::views::play
