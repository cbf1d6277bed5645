#pragma once

#include "app/help/help_markup.h"

#include <QUrl>

#include <functional>

class QPrinter;
class QTextDocument;

namespace stagecraft::views::common {
struct Theme;
}

namespace stagecraft::app::help {

/// How a page is shown.
struct HelpLook {
    const Theme* theme = nullptr;
    double scale = 1;      ///< pixels to the unit of the screen
    double widthPx = 600;  ///< that pictures may take
    /// Where words in italics lead ("Plan > Present"); empty: nowhere.
    std::function<QString(const QString&)> linkOf;
};

/// Sets the text, with anchors at headings and at errata, links at the numbers of errata, and pictures and
/// formulas drawn.
/// @param file of the text, for messages @throws InputError
void showMarkdown(QTextDocument& document, const QString& text, const std::string& file,
                  const HelpLook& look);

/// The same on paper, dark on white. @throws InputError
void printMarkdown(QPrinter& printer, const QString& text, const std::string& file);

}  // namespace stagecraft::app::help
