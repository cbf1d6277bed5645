#include "app/help/help_look.h"

#include "app/help/help_library.h"
#include "app/help/help_picture.h"
#include "views/common/theme.h"
#include "views/figures/painter_writer.h"
#include "views/play/play_picture.h"

#include <QAbstractTextDocumentLayout>
#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <QPrinter>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextFrame>
#include <QTextTable>

#include <memory>
#include <numeric>

namespace stagecraft::app::help {
namespace {

constexpr double aspect = 16.0 / 9;
constexpr double playedPart = 0.45;    // of the time
constexpr double typePart = 1.0 / 50;  // of the width

/// What a projector shows of plans that are played, in the middle of their time: the picture of a help page
/// whose view is "playing".
/// @param widthPx of the page; its pixels have `scale` of the image's in each
/// @throws InputError for a sample or a plan that is not there
QImage drawHelpPlaying(const HelpPicture& picture, double widthPx, double scale) {
    std::vector<std::shared_ptr<const PlayData>> plans;
    for (const auto& run : helpPictureRuns(picture)) plans.push_back(std::make_shared<const PlayData>(run));
    PictureStyle style;
    style.typePixels = widthPx * typePart;
    PlayPicture playing(plans, QFont(), style);
    const QSize size(static_cast<int>(widthPx), static_cast<int>(widthPx / aspect));
    playing.setSize(size);
    QImage image(size * scale, QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    QPainter painter(&image);
    playing.paint(painter, playedPart * playing.span().second);
    painter.end();
    image.setDevicePixelRatio(1);
    return image;
}

constexpr double pixelsPerMm = 96 / 25.4;
constexpr double formulaPoints = 11;
constexpr double cellPadding = 5;

/// What is done to a document while this lives is one change of it, which Qt tells its parts of once rather
/// than at each word: most of the time of a long page.
class OneEdit {
public:
    explicit OneEdit(QTextDocument& document) : cursor_(&document) { cursor_.beginEditBlock(); }
    ~OneEdit() { cursor_.endEditBlock(); }
    OneEdit(const OneEdit&) = delete;
    OneEdit& operator=(const OneEdit&) = delete;

private:
    QTextCursor cursor_;
};

/// Everything that is done to a document after its Markdown was read.
class HelpPainter {
public:
    HelpPainter(QTextDocument& document, const HelpLook& look) : document_(document), look_(look) {}

    void finish(const HelpMarkup& markup) {
        styleFrames(document_.rootFrame());
        const OneEdit edit(document_);
        for (QTextBlock block = document_.begin(); block.isValid(); block = block.next()) styleBlock(block);
        linkWords();
        linkErrata();
        place(markup);
    }

private:
    void styleFrames(QTextFrame* frame) {
        for (QTextFrame* child : frame->childFrames()) {
            if (auto* table = qobject_cast<QTextTable*>(child)) styleTable(*table);
            styleFrames(child);
        }
    }

    void styleTable(QTextTable& table) const {
        QTextTableFormat format = table.format();
        format.setBorder(1);
        format.setBorderBrush(look_.theme->line);
        format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setBorderCollapse(true);
        format.setCellPadding(cellPadding);
        format.setCellSpacing(0);
        format.setTopMargin(4);
        format.setBottomMargin(8);
        format.setColumnWidthConstraints(columnWidths(table));
        table.setFormat(format);
        for (int column = 0; column < table.columns(); ++column) {
            QTextTableCell cell = table.cellAt(0, column);
            QTextCharFormat heading = cell.format();
            heading.setBackground(look_.theme->raised);
            cell.setFormat(heading);
        }
    }

    /// As wide as their cells; where that is too much the widest columns share what is left.
    QVector<QTextLength> columnWidths(const QTextTable& table) const {
        std::vector<double> widths;
        for (int column = 0; column < table.columns(); ++column) {
            double widest = 0;
            for (int row = 0; row < table.rows(); ++row)
                widest = std::max(widest, widthOf(table.cellAt(row, column)));
            widths.push_back(widest + 1);
        }
        constexpr double least = 40, step = 4, border = 1;
        const double room = look_.widthPx - border - table.columns() * (2 * cellPadding + border);
        while (std::accumulate(widths.begin(), widths.end(), 0.0) > room) {
            double& widest = *std::max_element(widths.begin(), widths.end());
            if (widest <= least) break;
            widest -= step;
        }
        QVector<QTextLength> lengths;
        for (const double width : widths) lengths << QTextLength(QTextLength::FixedLength, width);
        return lengths;
    }

    double widthOf(const QTextTableCell& cell) const {
        double width = 0;
        const QTextBlock block = cell.firstCursorPosition().block();
        for (auto each = block.begin(); !each.atEnd(); ++each) {
            QFont font = each.fragment().charFormat().font().resolve(document_.defaultFont());
            if (cell.row() == 0) font.setBold(true);
            width += QFontMetricsF(font).horizontalAdvance(each.fragment().text());
        }
        return width;
    }

    void styleBlock(const QTextBlock& block) const {
        const QTextBlockFormat before = block.blockFormat();
        QTextCursor cursor(block);
        if (before.hasProperty(QTextFormat::BlockCodeFence)) {
            QTextBlockFormat code;
            code.setBackground(look_.theme->raised);
            code.setNonBreakableLines(false);
            code.setLeftMargin(8);
            cursor.mergeBlockFormat(code);
        } else if (before.headingLevel() > 0) {
            styleHeading(cursor, before.headingLevel());
        } else if (!block.textList() && !cursor.currentTable()) {
            QTextBlockFormat paragraph;
            paragraph.setBottomMargin(8);
            cursor.mergeBlockFormat(paragraph);
        }
        for (auto each = block.begin(); !each.atEnd(); ++each) styleCode(each.fragment());
    }

    void styleHeading(QTextCursor& cursor, int level) const {
        QTextBlockFormat heading;
        heading.setTopMargin(level == 1 ? 0 : 16);
        heading.setBottomMargin(6);
        cursor.mergeBlockFormat(heading);
        QTextCharFormat letters;
        letters.setAnchor(true);
        letters.setAnchorNames({anchorOf(cursor.block().text())});
        cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
        letters.setFontPointSize(document_.defaultFont().pointSizeF() * (level == 1   ? 1.6
                                                                         : level == 2 ? 1.25
                                                                                      : 1.1));
        letters.setFontWeight(QFont::DemiBold);
        letters.setForeground(look_.theme->text);
        cursor.mergeCharFormat(letters);
    }

    void styleCode(const QTextFragment& fragment) const {
        if (!fragment.charFormat().fontFixedPitch()) return;
        QTextCharFormat code;
        code.setBackground(look_.theme->raised);
        code.setFontPointSize(document_.defaultFont().pointSizeF() * 0.92);
        formatOf(fragment, code);
    }

    void formatOf(const QTextFragment& fragment, const QTextCharFormat& format) const {
        QTextCursor cursor(&document_);
        cursor.setPosition(fragment.position());
        cursor.setPosition(fragment.position() + fragment.length(), QTextCursor::KeepAnchor);
        cursor.mergeCharFormat(format);
    }

    QTextCharFormat link(const QString& target) const {
        QTextCharFormat format;
        format.setAnchor(true);
        format.setAnchorHref(target);
        format.setForeground(look_.theme->accent);
        return format;
    }

    /// Words in italics that are an action of the window, or the title of a sample.
    void linkWords() const {
        if (!look_.linkOf) return;
        for (QTextBlock block = document_.begin(); block.isValid(); block = block.next()) {
            std::vector<QTextFragment> found;
            for (auto each = block.begin(); !each.atEnd(); ++each)
                if (each.fragment().charFormat().fontItalic() && !each.fragment().charFormat().isAnchor())
                    found.push_back(each.fragment());
            for (const QTextFragment& fragment : found)
                if (const QString target = look_.linkOf(fragment.text().simplified()); !target.isEmpty())
                    formatOf(fragment, link(target));
        }
    }

    void linkErrata() const {
        static const QRegularExpression number(QLatin1String{erratumPattern});
        for (QTextCursor found = document_.find(number); !found.isNull();
             found = document_.find(number, found)) {
            const QString erratum = found.selectedText();
            const QTextCharFormat before = found.charFormat();
            const bool isEntry = found.block().textList() &&
                                 found.selectionStart() == found.block().position() &&
                                 before.fontWeight() >= QFont::Bold;
            if (isEntry) {
                QTextCharFormat entry;
                entry.setAnchor(true);
                entry.setAnchorNames({erratum});
                found.mergeCharFormat(entry);
            } else if (!before.isAnchor() && !before.fontFixedPitch()) {
                found.mergeCharFormat(link(erratum));
            }
        }
    }

    void place(const HelpMarkup& markup) const {
        static const QRegularExpression mark(QStringLiteral("%1\\d+%1").arg(QChar(HelpMarkup::mark)));
        for (QTextCursor found = document_.find(mark); !found.isNull(); found = document_.find(mark, found)) {
            const auto number = found.selectedText().remove(QChar(HelpMarkup::mark)).toULongLong();
            const HelpMarkup::Shown& shown = markup.shown.at(number);
            const QTextCharFormat format = found.charFormat();
            found.removeSelectedText();
            if (const auto* picture = std::get_if<HelpPicture>(&shown.what))
                insertPicture(found, *picture, QStringLiteral("picture:%1").arg(number));
            else if (const auto& formula = std::get<Formula>(shown.what); shown.ownLine)
                insertImage(found, drawFormula(formula, formulaPoints, look_.theme->text, look_.scale),
                            QStringLiteral("formula:%1").arg(number), 24);
            else
                insertFormula(found, formula, format);
        }
    }

    void insertImage(QTextCursor& cursor, const QImage& image, const QString& name, double margin) const {
        document_.addResource(QTextDocument::ImageResource, QUrl(name), image);
        QTextImageFormat format;
        format.setName(name);
        format.setWidth(image.width() / look_.scale);
        format.setHeight(image.height() / look_.scale);
        QTextBlockFormat block;
        block.setLeftMargin(margin);
        cursor.mergeBlockFormat(block);
        cursor.insertImage(format);
    }

    void insertPicture(QTextCursor& cursor, const HelpPicture& picture, const QString& name) const {
        insertImage(
            cursor,
            picture.isPlaying() ? drawHelpPlaying(picture, look_.widthPx, look_.scale) : figureImage(picture),
            name, 0);
        if (picture.caption.isEmpty()) return;
        QTextCharFormat caption;
        caption.setForeground(look_.theme->mutedText);
        cursor.insertText(QStringLiteral("\u2028") + picture.caption, caption);
    }

    QImage figureImage(const HelpPicture& picture) const {
        const Figure& figure = drawHelpPicture(picture, look_.widthPx / pixelsPerMm);
        const double width = std::min(figure.widthMm * pixelsPerMm, look_.widthPx);
        const double scale = width / figure.widthMm * look_.scale;
        QImage image((QSizeF(figure.widthMm, figure.heightMm) * scale).toSize(), QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        paintFigure(painter, figure, scale);
        return image;
    }

    QTextDocument& document_;
    const HelpLook& look_;
};

}  // namespace

void showMarkdown(QTextDocument& document, const QString& text, const std::string& file,
                  const HelpLook& look) {
    const HelpMarkup markup = readMarkup(text, file);
    {
        const OneEdit edit(document);
        document.setMarkdown(markup.markdown);
    }
    HelpPainter(document, look).finish(markup);
}

namespace {

constexpr double screenDpi = 96;

/// Of its headings, by number of their block, those that would end a page which what they stand above begins
/// after. Laid out as QTextDocument::print() does.
std::vector<int> headingsLeftAlone(QTextDocument& document, QPrinter& printer) {
    constexpr double marginCm = 2, cmPerInch = 2.54;
    const std::unique_ptr<QTextDocument> paged(document.clone(&document));  // whose pictures it shows
    paged->documentLayout()->setPaintDevice(&printer);
    QTextFrameFormat frame = paged->rootFrame()->frameFormat();
    frame.setMargin(marginCm / cmPerInch * screenDpi);  // the layout scales it
    const double marginPx = marginCm / cmPerInch * printer.logicalDpiY();
    paged->rootFrame()->setFrameFormat(frame);
    const QSizeF page(printer.width(), printer.height());
    paged->setPageSize(page);
    const auto bottomOf = [&](const QTextBlock& block) {
        return paged->documentLayout()->blockBoundingRect(block).bottom();
    };
    std::vector<int> alone;
    for (QTextBlock block = paged->begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() == 0) continue;
        QTextBlock below = block.next();
        while (below.isValid() && below.length() <= 1) below = below.next();
        // What would reach into the margin goes to the next page.
        const auto pageOf = [&](double y) { return static_cast<int>(y / page.height()); };
        if (below.isValid() && pageOf(bottomOf(block)) < pageOf(bottomOf(below) + marginPx))
            alone.push_back(block.blockNumber());
    }
    return alone;
}

}  // namespace

void printMarkdown(QPrinter& printer, const QString& text, const std::string& file) {
    constexpr double letterPoints = 10, sharp = 3;
    QTextDocument paper;
    QFont font = paper.defaultFont();
    font.setPointSizeF(letterPoints);
    paper.setDefaultFont(font);
    const double widthPx = printer.pageRect(QPrinter::Inch).width() * screenDpi;
    showMarkdown(paper, text, file, {&Theme::light(), sharp, widthPx * 0.9, {}});
    // A page break moves what comes after it.
    for (std::vector<int> alone = headingsLeftAlone(paper, printer); !alone.empty();
         alone = headingsLeftAlone(paper, printer)) {
        QTextCursor heading(paper.findBlockByNumber(alone.front()));
        QTextBlockFormat format = heading.blockFormat();
        if (format.pageBreakPolicy() == QTextFormat::PageBreak_AlwaysBefore) break;
        format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
        heading.setBlockFormat(format);
    }
    paper.print(&printer);
}

}  // namespace stagecraft::app::help
