#include "app/help/help_library.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>

#include <algorithm>

static void loadHelpResources() { Q_INIT_RESOURCE(help); }

namespace stagecraft::app::help {

namespace {

constexpr const char* folder = ":/stagecraft/help";
constexpr const char* contents = "CONTENTS";

std::vector<HelpSection> sectionsOf(const QString& text) {
    std::vector<HelpSection> sections;
    bool isCode = false;
    for (const QString& line : text.split('\n')) {
        if (line.startsWith(QLatin1String("```"))) isCode = !isCode;
        const auto level = static_cast<int>(
            std::find_if(line.begin(), line.end(), [](QChar each) { return each != '#'; }) - line.begin());
        if (!isCode && level > 0 && line.mid(level, 1) == QLatin1String(" ")) {
            const QString heading = withoutMarks(line.mid(level + 1).trimmed());
            sections.push_back({heading, level, anchorOf(heading), {}});
        } else if (!sections.empty()) {
            sections.back().text += line + '\n';
        }
    }
    return sections;
}

HelpPage pageOf(const QString& name) {
    QFile file(QStringLiteral("%1/%2.md").arg(folder, name));
    if (!file.open(QIODevice::ReadOnly)) return {name, {}, {{name, 1, anchorOf(name), {}}}};
    const QString text = QString::fromUtf8(file.readAll());
    return {name, text, sectionsOf(text)};
}

/// The number of an erratum that the line is the entry of.
QString entryOf(const QString& line) {
    static const QRegularExpression entry(
        QStringLiteral("^- \\*\\*(%1)\\*\\*").arg(QLatin1String(erratumPattern)));
    return entry.match(line).captured(1);
}

bool hasAll(const QString& text, const QStringList& words) {
    return std::all_of(words.begin(), words.end(),
                       [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

/// The first line of the section with any of the words, or its first.
QString lineWith(const HelpSection& section, const QStringList& words) {
    QString first;
    for (const QString& line : section.text.split('\n')) {
        const QString plain = withoutMarks(line).simplified();
        if (first.isEmpty()) first = plain;
        for (const QString& word : words)
            if (plain.contains(word, Qt::CaseInsensitive)) return plain;
    }
    return first;
}

}  // namespace

QString withoutMarks(QString text) {
    static const QRegularExpression link(QStringLiteral("\\[([^\\]]*)\\]\\([^)]*\\)"));
    // What is within code stays as it is.
    static const QRegularExpression mark(
        QStringLiteral("`([^`]*)`|\\*\\*|`|(?<![\\w*])\\*(?=\\S)|(?<=[^\\s*])\\*(?![\\w*])"));
    return text.replace(link, QStringLiteral("\\1")).replace(mark, QStringLiteral("\\1"));
}

QString anchorOf(const QString& heading) {
    QString anchor;
    for (const QChar each : heading.toLower())
        if (each.isLetterOrNumber() || each == '-' || each == '_')
            anchor += each;
        else if (each == ' ')
            anchor += '-';
    return anchor;
}

const std::vector<HelpPage>& helpPages() {
    static const std::vector<HelpPage> pages = [] {
        loadHelpResources();
        std::vector<HelpPage> all = {pageOf(contents)};
        QStringList names;
        static const QRegularExpression link(QStringLiteral("\\]\\((\\w+)\\.md"));
        for (auto each = link.globalMatch(all.front().text); each.hasNext();)
            names << each.next().captured(1);
        for (const QString& file : QDir(folder).entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name))
            names << file.chopped(3);
        names.removeDuplicates();
        names.removeAll(contents);
        for (const QString& name : names) all.push_back(pageOf(name));
        return all;
    }();
    return pages;
}

const HelpPage* findHelpPage(const QString& name) {
    const std::vector<HelpPage>& all = helpPages();
    const auto found = std::find_if(all.begin(), all.end(), [&](const HelpPage& page) {
        return page.name.compare(name, Qt::CaseInsensitive) == 0;
    });
    return found == all.end() ? nullptr : &*found;
}

std::optional<HelpPlace> findHelpPlace(const QString& target, const HelpPage* from) {
    static const QRegularExpression erratum(QStringLiteral("^%1$").arg(QLatin1String(erratumPattern)));
    if (erratum.match(target).hasMatch()) {
        for (const HelpPage& page : helpPages())
            for (const QString& line : page.text.split('\n'))
                if (entryOf(line) == target) return HelpPlace{&page, target};
        return std::nullopt;
    }
    const QString name = target.section('#', 0, 0), anchor = target.section('#', 1);
    const HelpPage* page =
        name.isEmpty() ? from : findHelpPage(name.endsWith(QLatin1String(".md")) ? name.chopped(3) : name);
    if (!page) return std::nullopt;
    const bool has = anchor.isEmpty() || std::any_of(page->sections.begin(), page->sections.end(),
                                                     [&](const auto& each) { return each.anchor == anchor; });
    return has ? std::optional(HelpPlace{page, anchor}) : std::nullopt;
}

std::vector<HelpHit> searchHelp(const QString& text) {
    const QStringList words = text.split(' ', Qt::SkipEmptyParts);
    std::vector<HelpHit> hits;
    if (words.isEmpty()) return hits;
    for (const HelpPage& page : helpPages())
        for (const HelpSection& section : page.sections)
            if (hasAll(section.heading + ' ' + section.text, words))
                hits.push_back({&page, &section, lineWith(section, words)});
    std::stable_partition(hits.begin(), hits.end(),
                          [&](const HelpHit& hit) { return hasAll(hit.section->heading, words); });
    return hits;
}

}  // namespace stagecraft::app::help
