#include "views/play/movie.h"

#include "core/formats/input_error.h"
#include "core/formats/text_file.h"
#include "core/formats/traces/apng.h"
#include "core/formats/traces/gif.h"
#include "views/play/movie_palette.h"

#include <QBuffer>

#include <algorithm>
#include <cstring>
#include <utility>

namespace stagecraft::views {

namespace {

constexpr int paletteSamples = 12;  // frames of which a GIF has the colours

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

/// Of a part of `now`, transparent where it is as it was; all of it if there was nothing before. What is
/// transparent costs next to nothing in a file.
QImage changedPixels(const QImage& before, const QImage& now, const QRect& part) {
    QImage changed = now.copy(part).convertToFormat(QImage::Format_ARGB32);
    if (before.isNull()) return changed;
    for (int y = 0; y < part.height(); ++y) {
        auto* pixels = reinterpret_cast<QRgb*>(changed.scanLine(y));
        const QRgb* old = lineOf(before, part.top() + y) + part.left();
        for (int x = 0; x < part.width(); ++x)
            if (pixels[x] == old[x]) pixels[x] = 0;
    }
    return changed;
}

/// `write(before, now, part, first, stays)` for each frame that differs from the one before it, of which
/// nothing is there for the first: `part` holds all that differs, `first` is its number, `stays` for how many
/// frames it stays; the last for a second at least. @throws Cancelled
template <typename Write>
void forEachChange(MoviePainter& painter, const WorkContext& context, Write write) {
    const int count = painter.options().frameCount();
    // A frame is written when the next one differs: then it is known for how long it stays.
    QImage before, shown = painter.frame(0);
    QRect part = shown.rect();
    int first = 0;
    for (int number = 1; number < count; ++number) {
        context.throwIfStopped();
        context.report(static_cast<double>(number) / count);
        QImage next = painter.frame(number);
        const QRect changed = differenceOf(shown, next);
        if (changed.isEmpty()) continue;
        write(before, shown, part, first, number - first);
        before = std::exchange(shown, std::move(next));
        part = changed;
        first = number;
    }
    write(before, shown, part, first, std::max(count - first, painter.options().framesPerSecond));
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
    const auto perSecond = static_cast<std::uint16_t>(painter.options().framesPerSecond);
    ApngWriter writer;
    forEachChange(painter, context,
                  [&](const QImage& before, const QImage& now, const QRect& part, int, int stays) {
                      writer.add(pngOf(changedPixels(before, now, part)),
                                 static_cast<std::uint32_t>(part.x()), static_cast<std::uint32_t>(part.y()),
                                 static_cast<std::uint16_t>(stays), perSecond, !before.isNull());
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
    std::vector<std::uint8_t> indices;
    forEachChange(painter, context,
                  [&](const QImage& before, const QImage& now, const QRect& part, int first, int stays) {
                      indices.clear();
                      for (int y = part.top(); y <= part.bottom(); ++y) {
                          const QRgb* pixels = lineOf(now, y);
                          const QRgb* old = before.isNull() ? nullptr : lineOf(before, y);
                          for (int x = part.left(); x <= part.right(); ++x)
                              indices.push_back(old && old[x] == pixels[x] ? GifWriter::unchanged
                                                                           : palette.indexOf(pixels[x]));
                      }
                      writer.add(
                          {part.x(), part.y(), part.width(), part.height()}, indices,
                          std::min(hundredths(first + stays) - hundredths(first), GifWriter::longestDelay));
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

}  // namespace stagecraft::views
