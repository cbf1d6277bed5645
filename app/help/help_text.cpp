#include "app/help/help_text.h"

#include "app/help/help_markup.h"

#include <QRegularExpression>

#include <algorithm>
#include <numeric>

namespace stagecraft::app::help {

QString brokenText(const QString& text, int width, const QString& first, const QString& rest) {
    QString out, line = first;
    bool isEmpty = true;
    for (const QString& word : text.split(' ', Qt::SkipEmptyParts)) {
        if (!isEmpty && line.size() + 1 + word.size() > width) {
            out += line + '\n';
            line = rest;
            isEmpty = true;
        }
        line += (isEmpty ? QString() : QStringLiteral(" ")) + word;
        isEmpty = false;
    }
    return out + line + '\n';
}

namespace {

using Row = QStringList;

Row cellsOf(const QString& line) {
    QString inner = line.trimmed();
    if (inner.startsWith('|')) inner.remove(0, 1);
    if (inner.endsWith('|')) inner.chop(1);
    Row cells;
    QString cell;
    bool inCode = false;
    for (qsizetype i = 0; i < inner.size(); ++i) {
        if (inner[i] == '`') inCode = !inCode;
        if (inner[i] == '|' && !inCode) {
            cells << withoutMarks(cell).simplified();
            cell.clear();
        } else {
            cell += inner[i];
        }
    }
    cells << withoutMarks(cell).simplified();
    return cells;
}

int longestWord(const QString& cell) {
    qsizetype longest = 0;
    for (const QString& word : cell.split(QLatin1Char(' '))) longest = std::max(longest, word.size());
    return static_cast<int>(longest);
}

/// As wide as their cells, but for the widest columns, which share what is left of `width`; words stay whole
/// as long as they can.
std::vector<int> columnWidths(const std::vector<Row>& rows, int width) {
    std::vector<int> widths, words;
    for (const Row& row : rows)
        for (qsizetype i = 0; i < row.size(); ++i) {
            const auto column = static_cast<std::size_t>(i);
            widths.resize(std::max(widths.size(), column + 1));
            words.resize(widths.size());
            widths[column] = std::max(widths[column], static_cast<int>(row[i].size()));
            words[column] = std::max(words[column], longestWord(row[i]));
        }
    constexpr int gap = 2, least = 12;
    const int room = width - gap * (static_cast<int>(widths.size()) - 1);
    const auto narrow = [&](const std::vector<int>& atLeast) {
        while (std::accumulate(widths.begin(), widths.end(), 0) > room) {
            int* widest = nullptr;
            for (std::size_t i = 0; i < widths.size(); ++i)
                if (widths[i] > std::max(least, atLeast[i]) && (!widest || widths[i] > *widest))
                    widest = &widths[i];
            if (!widest) return;
            --*widest;
        }
    };
    narrow(words);
    narrow(std::vector<int>(widths.size(), least));
    return widths;
}

QString tableText(const std::vector<Row>& rows, int width) {
    const std::vector<int> widths = columnWidths(rows, width);
    QString out;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        std::vector<QStringList> cells;
        qsizetype height = 0;
        for (qsizetype i = 0; i < rows[r].size(); ++i) {
            cells.push_back(brokenText(rows[r][i], widths[static_cast<std::size_t>(i)], {}, {})
                                .split('\n', Qt::SkipEmptyParts));
            height = std::max(height, cells.back().size());
        }
        for (qsizetype h = 0; h < height; ++h) {
            QString line;
            for (std::size_t i = 0; i < cells.size(); ++i)
                line += cells[i].value(h).leftJustified(widths[i] + 2);
            while (line.endsWith(' ')) line.chop(1);
            out += line + '\n';
        }
        if (r == 0)
            out += QString(std::accumulate(widths.begin(), widths.end(),
                                           2 * (static_cast<int>(widths.size()) - 1)),
                           '-') +
                   '\n';
    }
    return out;
}

/// Goes through the lines of a page's Markdown.
class TextWriter {
public:
    TextWriter(const HelpMarkup& markup, int width) : markup_(markup), width_(width) {}

    QString write() {
        for (const QString& line : markup_.markdown.split('\n')) take(line);
        endParagraph();
        return out_.trimmed() + '\n';
    }

private:
    void take(const QString& line) {
        static const QRegularExpression item(QStringLiteral("^(\\s*)([-*]|\\d+\\.) (.*)$")),
            heading(QStringLiteral("^(#+) (.*)$"));
        const QString trimmed = line.trimmed();
        if (trimmed.startsWith(QLatin1String("```"))) return turnCode();
        if (isCode_) return static_cast<void>(out_ += "    " + line + '\n');
        if (trimmed.startsWith('|')) return takeRow(trimmed);
        if (const auto match = heading.match(line); match.hasMatch())
            return takeHeading(static_cast<int>(match.capturedLength(1)), match.captured(2));
        if (trimmed.isEmpty()) {
            endParagraph();
            if (!out_.endsWith(QLatin1String("\n\n"))) out_ += '\n';
        } else if (const auto match = item.match(line); match.hasMatch()) {
            endParagraph();
            first_ = match.captured(1) + match.captured(2) + ' ';
            rest_ = QString(first_.size(), ' ');
            paragraph_ = match.captured(3);
        } else {
            paragraph_ += ' ' + trimmed;
        }
    }

    void turnCode() {
        endParagraph();
        isCode_ = !isCode_;
    }

    void takeRow(const QString& line) {
        if (rows_.empty()) endParagraph();
        static const QRegularExpression rule(QStringLiteral("^[|\\s:-]+$"));
        if (!rule.match(line).hasMatch()) rows_.push_back(cellsOf(filled(line)));
    }

    void takeHeading(int level, const QString& text) {
        endParagraph();
        const QString heading = withoutMarks(filled(text));
        out_ += heading + '\n' + QString(heading.size(), QLatin1Char(level == 1 ? '=' : '-')) + '\n';
    }

    void endParagraph() {
        if (!rows_.empty()) out_ += tableText(rows_, width_);
        rows_.clear();
        if (!paragraph_.isEmpty())
            out_ += brokenText(filled(withoutMarks(paragraph_)), width_, first_, rest_);
        paragraph_.clear();
        first_.clear();
        rest_.clear();
    }

    /// The text with words for what is shown.
    QString filled(QString text) const {
        static const QRegularExpression mark(QStringLiteral("%1(\\d+)%1").arg(QChar(HelpMarkup::mark)));
        for (auto match = mark.match(text); match.hasMatch(); match = mark.match(text)) {
            const HelpMarkup::Shown& shown = markup_.shown.at(match.captured(1).toULongLong());
            const auto* picture = std::get_if<HelpPicture>(&shown.what);
            text.replace(match.capturedStart(), match.capturedLength(),
                         picture ? '[' + picture->caption + "] " + picture->command()
                                 : formulaText(std::get<Formula>(shown.what)));
        }
        return text;
    }

    const HelpMarkup& markup_;
    int width_;
    QString out_, paragraph_, first_, rest_;
    std::vector<Row> rows_;
    bool isCode_ = false;
};

/// The lines from the heading with that anchor to the next of its level or above.
QString partOf(const HelpPage& page, const QString& anchor) {
    const auto from = std::find_if(page.sections.begin(), page.sections.end(),
                                   [&](const HelpSection& section) { return section.anchor == anchor; });
    if (from == page.sections.end()) return page.text;
    QString text;
    for (auto each = from; each != page.sections.end() && (each == from || each->level > from->level); ++each)
        text += QString(each->level, '#') + ' ' + each->heading + '\n' + each->text;
    return text;
}

/// The entry of an erratum: its item of the list.
QString textOfErratum(const HelpPage& page, const QString& erratum) {
    QString text;
    for (const QString& line : page.text.split('\n')) {
        if (!text.isEmpty() && !line.startsWith(QLatin1String("  "))) break;
        if (!text.isEmpty() || line.startsWith("- **" + erratum + "**")) text += line + '\n';
    }
    return text;
}

}  // namespace

QString helpAsText(const HelpPage& page, const QString& anchor, int width) {
    static const QRegularExpression erratum(QStringLiteral("^%1$").arg(QLatin1String(erratumPattern)));
    const QString text = erratum.match(anchor).hasMatch() ? textOfErratum(page, anchor)
                         : anchor.isEmpty()               ? page.text
                                                          : partOf(page, anchor);
    const HelpMarkup markup = readMarkup(text, page.name.toStdString() + ".md");
    return TextWriter(markup, width).write();
}

}  // namespace stagecraft::app::help
