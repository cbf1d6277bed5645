#include "views/topology/link_note.h"

#include "views/common/text.h"
#include "views/common/theme.h"

#include <QFontMetrics>

#include <algorithm>

namespace stagecraft::views::topology {

namespace {

constexpr int notePixels = 12;
constexpr int noteMargin = 8, notePadding = 3;

QString noteText(const TopologyLinks& links) {
    const LinkSummary& between = links.betweenServers;
    if (between.links.empty()) return {};
    QString note = "between servers: " + countedText(static_cast<long long>(between.links.size()), "link") +
                   ", " + between.text();
    note.replace(QChar(0x2013), QStringLiteral("\u2060\u2013\u2060"));  // no line ends within a range
    return links.hidesBundles ? note + QString::fromUtf8(" · point at a server or GPU to see its own") : note;
}

}  // namespace

LinkNote::LinkNote(const TopologyLinks& links, const QString& folded, QFont font, QSize room)
    : text_(noteText(links)), font_(std::move(font)) {
    if (!folded.isEmpty())
        text_ = folded + QString::fromUtf8(" · click a box to open one") +
                (text_.isEmpty() ? QString() : QStringLiteral("\n") + text_);
    if (text_.isEmpty()) return;
    font_.setPixelSize(notePixels);
    const QRect widest(0, 0, std::max(1, room.width() - 4 * noteMargin), room.height());
    const QSize size = QFontMetrics(font_).boundingRect(widest, Qt::TextWordWrap, text_).size();
    box_ = {noteMargin, room.height() - noteMargin - size.height() - 2 * notePadding,
            size.width() + 2 * noteMargin, size.height() + 2 * notePadding};
}

void LinkNote::paint(QPainter& painter) const {
    if (box_.isEmpty()) return;
    const Theme& theme = Theme::current();
    QColor ground = theme.window;
    ground.setAlpha(220);
    painter.setFont(font_);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    painter.drawRoundedRect(box_, 4, 4);
    painter.setPen(theme.mutedText);
    painter.drawText(box_.adjusted(noteMargin, 0, -noteMargin, 0),
                     Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, text_);
}

}  // namespace stagecraft::views::topology
