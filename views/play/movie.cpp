#include "views/play/movie.h"

#include "core/formats/input_error.h"
#include "core/formats/text_file.h"
#include "core/formats/traces/apng.h"

#include <QBuffer>

#include <algorithm>
#include <cstring>

namespace stagecraft::views {

namespace {

constexpr int longestDelay = 65535;  // frames: what a numerator of a delay holds

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
    const int count = painter.options().frameCount();
    const auto perSecond = static_cast<std::uint16_t>(painter.options().framesPerSecond);
    ApngWriter writer;
    // A frame is written when the next one differs: then it is known for how long it stays.
    QImage shown = painter.frame(0), waiting = shown;
    QRect part = shown.rect();
    int stays = 0;
    const auto flush = [&] {
        writer.add(pngOf(waiting), static_cast<std::uint32_t>(part.x()), static_cast<std::uint32_t>(part.y()),
                   static_cast<std::uint16_t>(stays), perSecond);
    };
    for (int number = 1; number < count; ++number) {
        context.throwIfStopped();
        context.report(static_cast<double>(number) / count);
        QImage next = painter.frame(number);
        ++stays;
        const QRect changed = differenceOf(shown, next);
        if (changed.isEmpty() && stays < longestDelay) continue;
        flush();
        stays = 0;
        part = changed.isEmpty() ? QRect(0, 0, 1, 1) : changed;
        waiting = next.copy(part);
        shown = std::move(next);
    }
    stays = std::max(stays + 1, static_cast<int>(perSecond));  // the end can be looked at for a second
    flush();
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
