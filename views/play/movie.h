#pragma once

#include "core/base/work_context.h"
#include "views/play/play_picture.h"

#include <QHash>
#include <QImage>
#include <QString>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace stagecraft::views::play {

/// The few colours that stand for those of a movie's frames: the most frequent ones, but none that nobody
/// could tell from a more frequent one.
class MoviePalette {
public:
    /// @param samples in QImage::Format_RGB32, at least one
    /// @param most colours, at least one
    MoviePalette(const std::vector<QImage>& samples, std::size_t most);

    const std::vector<QRgb>& colours() const { return colours_; }
    /// Of the nearest colour.
    std::uint8_t indexOf(QRgb colour);

private:
    std::vector<QRgb> colours_;
    QHash<QRgb, std::uint8_t> known_;
};

/// How the playing of plans is made into pictures.
struct MovieOptions {
    QSize size{1280, 720};  ///< pixels
    double seconds = 10;    ///< that the playing lasts
    int framesPerSecond = 20;
    std::optional<std::pair<double, double>> timeRangeS;  ///< of the plans; without it all
    double typePoints = 18;  ///< on a screen of 1920 × 1080, whose picture a frame is
    PictureStyle style;      ///< but for its type

    int frameCount() const;
};
inline constexpr int mostMovieFrames = 7200;  ///< two minutes at 60 a second
inline constexpr int leastMovieSide = 160, mostMovieSide = 7680;

/// Draws the frames of a movie, which are what a projector shows. In any thread, but in one at a time.
class MoviePainter {
public:
    /// @param plans one to four
    MoviePainter(const std::vector<std::shared_ptr<const PlayData>>& plans, const MovieOptions& options);

    QImage frameAt(double timeS);
    QImage frame(int number);
    /// The instant of the plans that a frame shows: the first its beginning, the last its end.
    double instantOf(int number) const;
    const MovieOptions& options() const { return options_; }
    const PlayPicture& picture() const { return picture_; }

private:
    MovieOptions options_;
    PlayPicture picture_;
    double beginS_ = 0, endS_ = 0;
};

/// The playing as an animated PNG that begins again at its end, in 255 colours. Pixels of a frame that stay
/// are not written anew. @throws Cancelled
std::string writeApng(MoviePainter& painter, const WorkContext& context = {});

/// The same as an animated GIF; its frames stay for whole hundredths of a second.
/// @throws Cancelled
std::string writeGif(MoviePainter& painter, const WorkContext& context = {});

/// The frames as frame-0000.png, frame-0001.png, … in a new folder, which is not there at all unless all of
/// them are. @throws InputError if it cannot be made or holds something already; Cancelled
void writeFrames(MoviePainter& painter, const std::filesystem::path& folder, const WorkContext& context = {});

/// What the playing of a plan can be written as.
struct MovieFormat {
    QString id;      ///< --format of the command line, and what is remembered
    QString title;   ///< for people
    QString filter;  ///< of a file dialog
    QString suffix;  ///< given to a name that has none; empty: the format is a new folder
    /// Nothing half. @throws InputError, Cancelled
    void (*write)(MoviePainter&, const std::filesystem::path&, const WorkContext&);
};

/// At least one; the first is written unless a person says otherwise.
const std::vector<MovieFormat>& movieFormats();
/// Nothing if there is none of that id.
const MovieFormat* movieFormatNamed(const QString& id);
std::vector<std::string> movieFormatIds();

}  // namespace stagecraft::views::play
