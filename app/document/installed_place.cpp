#include "app/document/installed_place.h"

#include <QCoreApplication>
#include <QDir>

#include <filesystem>

namespace stagecraft::app::document {
namespace {

constexpr char installedData[] = "share/stagecraft";

}  // namespace

QString installedFolder() {
    return QDir::cleanPath(QCoreApplication::applicationDirPath() + QStringLiteral("/../") +
                           QLatin1String(installedData));
}

void useBroughtFonts() {
    constexpr char variable[] = "FONTCONFIG_FILE";
    if (qEnvironmentVariableIsSet(variable)) return;
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::filesystem::path fonts =
        program.parent_path().parent_path() / installedData / "fonts/fonts.conf";
    if (!error && std::filesystem::exists(fonts, error)) qputenv(variable, fonts.c_str());
}

}  // namespace stagecraft::app::document
