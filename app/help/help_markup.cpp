#include "app/help/help_markup.h"

#include "core/formats/input_error.h"

#include <QRegularExpression>
#include <QStringList>

#include <stdexcept>

namespace stagecraft::app::help {

namespace {

constexpr qsizetype codeWidth = 56;  // characters, which the panel beside the window has room for

/// A command, under its comment where both are too long for one line: broken by the view, the comment's end
/// would look like another command.
QString commandLines(const QString& line) {
    static const QRegularExpression commented(QStringLiteral("^(\\S.*?)\\s+# (.+)$"));
    const auto match = commented.match(line);
    if (line.size() <= codeWidth || !match.hasMatch()) return line + '\n';
    QString lines, now;
    for (const QString& word : match.captured(2).split(' ', Qt::SkipEmptyParts)) {
        if (!now.isEmpty() && now.size() + 1 + word.size() > codeWidth - 2) {
            lines += QStringLiteral("# ") + now + '\n';
            now.clear();
        }
        now += now.isEmpty() ? word : ' ' + word;
    }
    return lines + QStringLiteral("# ") + now + '\n' + match.captured(1) + '\n';
}

/// Goes through the lines of a text and takes out what Markdown does not have.
class MarkupReader {
public:
    MarkupReader(const QString& text, const std::string& file) : lines_(text.split('\n')), file_(file) {}

    HelpMarkup read() {
        while (at_ < lines_.size()) {
            const QString& line = lines_[at_];
            if (line == QLatin1String("```figure"))
                takePicture();
            else if (line.startsWith(QLatin1String("```")))
                keepCode();
            else if (line.startsWith(QLatin1String("$$")))
                takeParagraph();
            else
                markup_.markdown += withoutFormulas(lines_[at_++]) + '\n';
        }
        return std::move(markup_);
    }

private:
    QString add(HelpMarkup::Shown shown) {
        markup_.shown.push_back(std::move(shown));
        return QStringLiteral("%1%2%1").arg(QChar(HelpMarkup::mark)).arg(markup_.shown.size() - 1);
    }

    [[noreturn]] void fail(qsizetype line, const std::string& what, const std::string& expected) const {
        throw InputError(file_, "line " + std::to_string(line + 1), what, expected);
    }

    Formula formula(const QString& tex, qsizetype line) const {
        try {
            return parseFormula(tex);
        } catch (const std::invalid_argument& error) {
            fail(line, error.what(), "");
        }
    }

    void keepCode() {
        const bool commands = lines_[at_] == QLatin1String("```sh");
        markup_.markdown += lines_[at_++] + '\n';
        while (at_ < lines_.size() && !lines_[at_].startsWith(QLatin1String("```"))) {
            markup_.markdown += commands ? commandLines(lines_[at_]) : lines_[at_] + '\n';
            ++at_;
        }
        if (at_ < lines_.size()) markup_.markdown += lines_[at_++] + '\n';
    }

    void takePicture() {
        const auto first = at_++;
        QString block;
        while (at_ < lines_.size() && lines_[at_] != QLatin1String("```")) block += lines_[at_++] + '\n';
        if (at_ == lines_.size()) fail(first, "the block does not end", "```");
        ++at_;
        markup_.markdown +=
            '\n' + add({readHelpPicture(block, file_ + ", line " + std::to_string(first + 1)), true}) +
            "\n\n";
    }

    void takeParagraph() {
        const auto first = at_;
        QString tex = lines_[at_++].mid(2);
        while (!tex.contains(QLatin1String("$$")) && at_ < lines_.size()) tex += ' ' + lines_[at_++];
        const auto end = tex.indexOf(QLatin1String("$$"));
        if (end < 0) fail(first, "the formula does not end", "$$");
        markup_.markdown += '\n' + add({formula(tex.left(end), first), true}) + "\n\n";
    }

    /// Formulas between two dollars; those in code are none.
    QString withoutFormulas(const QString& line) {
        static const QRegularExpression either(QStringLiteral("(`+)[^`]*\\1|\\$([^$]+)\\$"));
        QString text;
        qsizetype done = 0;
        for (auto each = either.globalMatch(line); each.hasNext();) {
            const auto match = each.next();
            text += line.mid(done, match.capturedStart() - done);
            text += match.captured(2).isEmpty() ? match.captured()
                                                : add({formula(match.captured(2), at_ - 1), false});
            done = match.capturedEnd();
        }
        return text + line.mid(done);
    }

    QStringList lines_;
    std::string file_;
    qsizetype at_ = 0;
    HelpMarkup markup_;
};

}  // namespace

HelpMarkup readMarkup(const QString& text, const std::string& file) {
    return MarkupReader(text, file).read();
}

}  // namespace stagecraft::app::help
