#include "views/play/movie.h"

#include "core/base/number_style.h"
#include "core/formats/input_error.h"
#include "core/formats/text_file.h"
#include "core/formats/traces/apng_writer.h"
#include "core/formats/traces/gif_writer.h"

#include <QBuffer>
#include <QObject>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <tuple>
#include <utility>

namespace stagecraft::views::play {

namespace {

/// How near colours may be, as a sum of squares of 0 to 255, and be one.
constexpr int sameWithin = 3 * 3 * 3;

int distance(QRgb a, QRgb b) {
    const int red = qRed(a) - qRed(b), green = qGreen(a) - qGreen(b), blue = qBlue(a) - qBlue(b);
    return red * red + green * green + blue * blue;
}

std::vector<QRgb> byFrequency(const std::vector<QImage>& samples) {
    QHash<QRgb, int> counts;
    for (const QImage& image : samples)
        for (int y = 0; y < image.height(); ++y) {
            const auto* line = reinterpret_cast<const QRgb*>(image.constScanLine(y));
            for (int x = 0; x < image.width(); ++x) ++counts[line[x] | 0xFF000000];
        }
    std::vector<QRgb> colours(counts.keyBegin(), counts.keyEnd());
    // Those that are as frequent in one order, so that the same movie has the same bytes.
    std::sort(colours.begin(), colours.end(), [&](QRgb a, QRgb b) {
        return std::pair(-counts.value(a), a) < std::pair(-counts.value(b), b);
    });
    return colours;
}

}  // namespace

MoviePalette::MoviePalette(const std::vector<QImage>& samples, std::size_t most) {
    for (const QRgb colour : byFrequency(samples)) {
        if (colours_.size() == most) break;
        const auto isNear = [colour](QRgb other) { return distance(colour, other) <= sameWithin; };
        if (std::none_of(colours_.begin(), colours_.end(), isNear)) colours_.push_back(colour);
    }
}

std::uint8_t MoviePalette::indexOf(QRgb colour) {
    const auto found = known_.constFind(colour);
    if (found != known_.constEnd()) return *found;
    const auto nearest = std::min_element(colours_.begin(), colours_.end(), [colour](QRgb a, QRgb b) {
        return distance(a, colour) < distance(b, colour);
    });
    const auto index = static_cast<std::uint8_t>(nearest - colours_.begin());
    known_.insert(colour, index);
    return index;
}

namespace {

constexpr double screenHeight = 1080;  // of the screen on which type has its size
constexpr double pixelsPerPoint = 96.0 / 72;

/// The style with the type that goes with the size of a frame.
PictureStyle styleOf(const MovieOptions& options) {
    const double height = std::min(options.size.width() * 9 / 16.0, double(options.size.height()));
    PictureStyle style = options.style;
    style.typePixels = options.typePoints * pixelsPerPoint * height / screenHeight;
    return style;
}

}  // namespace

int MovieOptions::frameCount() const {
    return std::max(2, static_cast<int>(std::lround(seconds * framesPerSecond)));
}

MoviePainter::MoviePainter(const std::vector<std::shared_ptr<const PlayData>>& plans,
                           const MovieOptions& options)
    : options_(options), picture_(plans, QFont(), styleOf(options)) {
    std::tie(beginS_, endS_) = options_.timeRangeS.value_or(picture_.span());
    if (!(beginS_ < endS_)) endS_ = beginS_ + 1;
    picture_.setSize(options_.size);
    picture_.setRange(beginS_, endS_);
}

double MoviePainter::instantOf(int number) const {
    const int last = options_.frameCount() - 1;
    return number >= last ? endS_ : beginS_ + (endS_ - beginS_) * number / last;
}

QImage MoviePainter::frame(int number) { return frameAt(instantOf(number)); }

QImage MoviePainter::frameAt(double timeS) {
    const StandardNumbers numbers;  // others get the same movie
    QImage image(options_.size, QImage::Format_RGB32);
    QPainter painter(&image);
    picture_.paint(painter, timeS);
    return image;
}

namespace {

constexpr int paletteSamples = 12;  // frames of which a movie has the colours

std::string pngOf(const QImage& image) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes.toStdString();
}

/// The smallest rectangle outside of which both are the same; empty if they are. Of one size and format.
QRect differenceOf(const QImage& a, const QImage& b) {
    int top = a.height(), bottom = -1, left = a.width(), right = -1;
    for (int y = 0; y < a.height(); ++y) {
        const auto* own = reinterpret_cast<const QRgb*>(a.constScanLine(y));
        const auto* other = reinterpret_cast<const QRgb*>(b.constScanLine(y));
        if (std::memcmp(own, other, sizeof(QRgb) * static_cast<std::size_t>(a.width())) == 0) continue;
        top = std::min(top, y);
        bottom = y;
        const auto [first, firstOther] = std::mismatch(own, own + a.width(), other);
        left = std::min(left, static_cast<int>(first - own));
        int last = a.width() - 1;
        while (last > right && own[last] == other[last]) --last;
        right = std::max(right, last);
    }
    return bottom < 0 ? QRect() : QRect(QPoint(left, top), QPoint(right, bottom));
}

const QRgb* lineOf(const QImage& image, int y) {
    return reinterpret_cast<const QRgb*>(image.constScanLine(y));
}

MoviePalette paletteOf(MoviePainter& painter, const WorkContext& context) {
    const int last = painter.options().frameCount() - 1;
    std::vector<QImage> samples;
    for (int i = 0; i < paletteSamples; ++i) {
        context.throwIfStopped();
        samples.push_back(painter.frame(last * i / (paletteSamples - 1)));
    }
    return {samples, GifWriter::mostColours};
}

/// A frame that differs from the one before it, as far as it does.
struct ChangedFrame {
    QRect part;                         ///< that holds all that differs; of the first frame all
    std::vector<std::uint8_t> indices;  ///< of its pixels into the palette; GifWriter::unchanged
    int first = 0;                      ///< its number
    int stays = 1;                      ///< for how many frames
};

/// @param before nothing for the first frame
std::vector<std::uint8_t> indicesOf(const QImage& before, const QImage& now, const QRect& part,
                                    MoviePalette& palette) {
    std::vector<std::uint8_t> indices;
    indices.reserve(static_cast<std::size_t>(part.width()) * static_cast<std::size_t>(part.height()));
    for (int y = part.top(); y <= part.bottom(); ++y) {
        const QRgb* pixels = lineOf(now, y);
        const QRgb* old = before.isNull() ? nullptr : lineOf(before, y);
        for (int x = part.left(); x <= part.right(); ++x)
            indices.push_back(old && old[x] == pixels[x] ? GifWriter::unchanged : palette.indexOf(pixels[x]));
    }
    return indices;
}

/// Hands over each frame that differs from the one before it; the last stays for a second at least.
/// @throws Cancelled
void forEachChange(MoviePainter& painter, MoviePalette& palette, const WorkContext& context,
                   const std::function<void(const ChangedFrame&)>& write) {
    const int count = painter.options().frameCount();
    // A frame is written when the next one differs: then it is known for how long it stays.
    QImage shown = painter.frame(0);
    ChangedFrame waiting{shown.rect(), indicesOf({}, shown, shown.rect(), palette), 0, 1};
    for (int number = 1; number < count; ++number) {
        context.throwIfStopped();
        context.report(static_cast<double>(number) / count);
        QImage next = painter.frame(number);
        const QRect changed = differenceOf(shown, next);
        if (changed.isEmpty()) continue;
        waiting.stays = number - waiting.first;
        write(waiting);
        waiting = {changed, indicesOf(shown, next, changed, palette), number, 1};
        shown = std::move(next);
    }
    waiting.stays = std::max(count - waiting.first, painter.options().framesPerSecond);
    write(waiting);
}

std::string frameName(int number) {
    std::string digits = std::to_string(number);
    return "frame-" + std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits + ".png";
}

/// A folder that is taken away again unless it is kept.
class UnfinishedFolder {
public:
    explicit UnfinishedFolder(std::filesystem::path path) : path_(std::move(path)) {
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    ~UnfinishedFolder() {
        std::error_code ignored;
        if (!kept_) std::filesystem::remove_all(path_, ignored);
    }
    void keepAs(const std::filesystem::path& name) {
        std::filesystem::rename(path_, name);
        kept_ = true;
    }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    bool kept_ = false;
};

}  // namespace

std::string writeApng(MoviePainter& painter, const WorkContext& context) {
    MoviePalette palette = paletteOf(painter, context);
    QList<QRgb> table(palette.colours().begin(), palette.colours().end());
    table.resize(GifWriter::unchanged + 1, 0);  // the last is transparent
    const auto perSecond = static_cast<std::uint16_t>(painter.options().framesPerSecond);
    ApngWriter writer;
    forEachChange(painter, palette, context, [&](const ChangedFrame& frame) {
        QImage image(frame.indices.data(), frame.part.width(), frame.part.height(), frame.part.width(),
                     QImage::Format_Indexed8);
        image.setColorTable(table);
        writer.add(pngOf(image), static_cast<std::uint32_t>(frame.part.x()),
                   static_cast<std::uint32_t>(frame.part.y()), static_cast<std::uint16_t>(frame.stays),
                   perSecond, frame.first > 0);
    });
    return writer.finish();
}

std::string writeGif(MoviePainter& painter, const WorkContext& context) {
    MoviePalette palette = paletteOf(painter, context);
    std::vector<GifWriter::Colour> colours;
    for (const QRgb colour : palette.colours())
        colours.push_back({static_cast<std::uint8_t>(qRed(colour)), static_cast<std::uint8_t>(qGreen(colour)),
                           static_cast<std::uint8_t>(qBlue(colour))});
    GifWriter writer(painter.options().size.width(), painter.options().size.height(), colours);
    const double perSecond = painter.options().framesPerSecond;
    // Rounded from the beginning, so that no error adds up.
    const auto hundredths = [perSecond](int frame) { return qRound(100 * frame / perSecond); };
    forEachChange(painter, palette, context, [&](const ChangedFrame& frame) {
        const int stays = hundredths(frame.first + frame.stays) - hundredths(frame.first);
        writer.add({frame.part.x(), frame.part.y(), frame.part.width(), frame.part.height()}, frame.indices,
                   std::min(stays, GifWriter::longestDelay));
    });
    return writer.finish();
}

void writeFrames(MoviePainter& painter, const std::filesystem::path& folder, const WorkContext& context) {
    try {
        if (std::filesystem::exists(folder) &&
            !(std::filesystem::is_directory(folder) && std::filesystem::is_empty(folder)))
            throw InputError(folder.string(), "", "it exists already", "a folder that is new or empty");
        std::filesystem::path beside = folder.has_filename() ? folder : folder.parent_path();
        beside += ".unfinished";
        UnfinishedFolder unfinished(beside);
        const int count = painter.options().frameCount();
        for (int number = 0; number < count; ++number) {
            context.throwIfStopped();
            context.report(static_cast<double>(number) / count);
            writeFileAtomically(unfinished.path() / frameName(number), pngOf(painter.frame(number)));
        }
        std::filesystem::remove(folder);
        unfinished.keepAs(folder);
    } catch (const std::filesystem::filesystem_error& error) {
        throw InputError(folder.string(), "", error.code().message(), "a place where a folder can be made");
    }
}

const std::vector<MovieFormat>& movieFormats() {
    static const std::vector<MovieFormat> formats = {
        {QStringLiteral("apng"), QObject::tr("Animated PNG, one file"),
         QObject::tr("Animated PNG (*.png *.apng)"), QStringLiteral("png"),
         [](MoviePainter& painter, const std::filesystem::path& path, const WorkContext& context) {
             writeFileAtomically(path, writeApng(painter, context));
         }},
        {QStringLiteral("gif"), QObject::tr("Animated GIF, one file"), QObject::tr("Animated GIF (*.gif)"),
         QStringLiteral("gif"),
         [](MoviePainter& painter, const std::filesystem::path& path, const WorkContext& context) {
             writeFileAtomically(path, writeGif(painter, context));
         }},
        {QStringLiteral("frames"), QObject::tr("Frames, a folder of PNG files"),
         QObject::tr("A new folder (*)"), QString(), &writeFrames}};
    return formats;
}

const MovieFormat* movieFormatNamed(const QString& id) {
    for (const MovieFormat& format : movieFormats())
        if (format.id == id) return &format;
    return nullptr;
}

std::vector<std::string> movieFormatIds() {
    std::vector<std::string> ids;
    for (const MovieFormat& format : movieFormats()) ids.push_back(format.id.toStdString());
    return ids;
}

}  // namespace stagecraft::views::play
