#pragma once

#include "views/common/formula.h"
#include "app/help/help_picture.h"

#include <QString>

#include <variant>
#include <vector>

namespace stagecraft::app::help {

/// Markdown of a page with what Markdown does not have taken out: formulas ($…$ in a line, $$…$$ as a
/// paragraph) and pictures (blocks of code in the language `figure`). Where each was is a mark, which keeps
/// its place through any reader of Markdown.
struct HelpMarkup {
    struct Shown {
        std::variant<Formula, HelpPicture> what;
        bool ownLine = false;
    };
    QString markdown;
    std::vector<Shown> shown;

    /// What a mark is for begins and ends with this character, with its number in `shown` between.
    static constexpr char16_t mark = 0xE000;
};

/// @param file of the text, for messages @throws InputError with the line
HelpMarkup readMarkup(const QString& text, const std::string& file);

}  // namespace stagecraft::app::help
