#include "views/play/movie_formats.h"

#include "core/formats/text_file.h"

#include <QObject>

namespace stagecraft::views {

const std::vector<MovieFormat>& movieFormats() {
    static const std::vector<MovieFormat> formats = {
        {QStringLiteral("apng"), QObject::tr("Animated PNG, one file"),
         QObject::tr("Animated PNG (*.png *.apng)"), QStringLiteral("png"),
         [](MoviePainter& painter, const std::filesystem::path& path, const WorkContext& context) {
             writeFileAtomically(path, writeApng(painter, context));
         }},
        {QStringLiteral("gif"), QObject::tr("Animated GIF, one file"),
         QObject::tr("Animated GIF (*.gif)"), QStringLiteral("gif"),
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

}  // namespace stagecraft::views
