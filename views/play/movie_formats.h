#pragma once

#include "views/play/movie.h"

#include <QString>

#include <filesystem>
#include <string>
#include <vector>

namespace stagecraft::views {

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

}  // namespace stagecraft::views
