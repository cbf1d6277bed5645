#include "core/formats/traces/gif_writer.h"

#include <gif_lib.h>

#include <algorithm>
#include <stdexcept>

namespace stagecraft::formats {

namespace {

constexpr int mostSide = 65535;
constexpr int colourBits = 8;

void require(bool done) {
    if (!done) throw std::runtime_error("the GIF could not be written");
}

}  // namespace

struct GifWriter::File {
    std::string bytes;
    GifFileType* gif = nullptr;

    static int append(GifFileType* gif, const GifByteType* data, int size) {
        static_cast<File*>(gif->UserData)
            ->bytes.append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
        return size;
    }
    void close() {
        if (gif) EGifCloseFile(gif, nullptr);
        gif = nullptr;
    }
    ~File() { close(); }
};

GifWriter::GifWriter(int width, int height, const std::vector<Colour>& colours)
    : file_(std::make_unique<File>()), width_(width), height_(height) {
    if (width < 1 || height < 1 || width > mostSide || height > mostSide)
        throw std::invalid_argument("a GIF of that size");
    if (colours.empty() || colours.size() > mostColours)
        throw std::invalid_argument("a GIF of that many colours");
    file_->gif = EGifOpen(file_.get(), &File::append, nullptr);
    require(file_->gif);
    EGifSetGifVersion(file_->gif, true);
    std::array<GifColorType, mostColours + 1> table{};
    for (std::size_t i = 0; i < colours.size(); ++i) table[i] = {colours[i][0], colours[i][1], colours[i][2]};
    ColorMapObject* map = GifMakeMapObject(static_cast<int>(table.size()), table.data());
    const int begun = EGifPutScreenDesc(file_->gif, width, height, colourBits, 0, map);
    GifFreeMapObject(map);
    require(begun == GIF_OK);
    // Played without end: an extension that Netscape made and all viewers know.
    constexpr std::array<GifByteType, 3> forEver{1, 0, 0};
    require(EGifPutExtensionLeader(file_->gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
            EGifPutExtensionBlock(file_->gif, 11, "NETSCAPE2.0") == GIF_OK &&
            EGifPutExtensionBlock(file_->gif, static_cast<int>(forEver.size()), forEver.data()) == GIF_OK &&
            EGifPutExtensionTrailer(file_->gif) == GIF_OK);
}

GifWriter::~GifWriter() = default;

void GifWriter::add(const Part& part, const std::vector<std::uint8_t>& indices, int hundredths) {
    if (part.x < 0 || part.y < 0 || part.width < 1 || part.height < 1 || part.x + part.width > width_ ||
        part.y + part.height > height_)
        throw std::invalid_argument("a picture that reaches beyond the whole");
    if (indices.size() != static_cast<std::size_t>(part.width) * static_cast<std::size_t>(part.height))
        throw std::invalid_argument("a picture with too few pixels or too many");
    if (hundredths < 0 || hundredths > longestDelay)
        throw std::invalid_argument("a picture that stays too long");
    GraphicsControlBlock control{};
    control.DisposalMode = DISPOSE_DO_NOT;
    control.DelayTime = hundredths;
    control.TransparentColor = unchanged;
    std::array<GifByteType, 4> packed{};
    EGifGCBToExtension(&control, packed.data());
    require(EGifPutExtension(file_->gif, GRAPHICS_EXT_FUNC_CODE, static_cast<int>(packed.size()),
                             packed.data()) == GIF_OK &&
            EGifPutImageDesc(file_->gif, part.x, part.y, part.width, part.height, false, nullptr) == GIF_OK);
    std::vector<GifByteType> line(static_cast<std::size_t>(part.width));
    for (int y = 0; y < part.height; ++y) {
        const auto first = indices.begin() + static_cast<std::ptrdiff_t>(y) * part.width;
        std::copy(first, first + part.width, line.begin());
        require(EGifPutLine(file_->gif, line.data(), part.width) == GIF_OK);
    }
}

std::string GifWriter::finish() {
    file_->close();
    return std::move(file_->bytes);
}

}  // namespace stagecraft::formats
