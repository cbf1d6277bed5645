#pragma once

#include "app/rooms.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace stagecraft::app::help {

/// A part of a help page, from one heading to the next.
struct HelpSection {
    QString heading;
    int level = 1;   ///< of the heading; 1: the page's title
    QString anchor;  ///< what links call it: "own-orders"
    QString text;    ///< Markdown, without the heading
};

/// A page of resources/help.
struct HelpPage {
    QString name;  ///< of its file: "SCHEDULES"
    QString text;  ///< Markdown, all of it
    std::vector<HelpSection> sections;

    const QString& title() const { return sections.front().heading; }
};

/// Where a link leads: a page, and an anchor in it or nothing.
struct HelpPlace {
    const HelpPage* page = nullptr;
    QString anchor;
};

/// All pages, in the order in which the first of them, the contents, names them.
const std::vector<HelpPage>& helpPages();
/// nullptr: there is none. In any case: "schedules".
const HelpPage* findHelpPage(const QString& name);
/// The target of a link in a page or of a topic: "SCHEDULES.md#own-orders", "SCHEDULES", "#anchor" in `from`,
/// an erratum ("E-SPP-6"), whose anchor is its number.
std::optional<HelpPlace> findHelpPlace(const QString& target, const HelpPage* from = nullptr);
/// What links call a heading: lower case, hyphens for spaces, without punctuation.
QString anchorOf(const QString& heading);

struct HelpHit {
    const HelpPage* page = nullptr;
    const HelpSection* section = nullptr;
    QString line;  ///< the first that has a word of the search, without its marks
};
/// Sections that have all words, in any case; those with all of them in the heading first.
std::vector<HelpHit> searchHelp(const QString& words);

/// Text without the marks of Markdown: **, *, ` and the targets of links.
QString withoutMarks(QString text);
/// The number of an erratum wherever text has one.
inline constexpr const char* erratumPattern = "\\bE-[A-Z]{2,3}-\\d+\\b";

}  // namespace stagecraft::app::help
