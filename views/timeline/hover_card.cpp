#include "views/timeline/hover_card.h"

#include "views/common/theme.h"

#include <QAbstractTextDocumentLayout>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::timeline {

namespace {
constexpr int distance = 16;  // from the pointer
constexpr int cardPadding = 10;
constexpr double corner = 6;
}  // namespace

HoverCard::HoverCard(QWidget* parent) : QFrame(parent) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    text_.setDocumentMargin(0);
    text_.setUndoRedoEnabled(false);
    hide();
}

/// Laying out takes a good part of a frame, so that it is done once for what the card says: without a label,
/// which would do it for each of its hints and once more in its place.
void HoverCard::say(const QString& html) {
    html_ = html;
    text_.setDefaultFont(font());
    text_.setTextWidth(-1);
    text_.setHtml(html);
    const int most = mostWidth_ - 2 * cardPadding;
    if (text_.idealWidth() > most) text_.setTextWidth(most);
    const double width = std::min<double>(text_.idealWidth(), most);
    resize(static_cast<int>(std::ceil(width)) + 2 * cardPadding,
           static_cast<int>(std::ceil(text_.size().height())) + 2 * (cardPadding - 2));
    update();
}

void HoverCard::show(std::uint32_t subject, const std::function<QString()>& html, QPoint at) {
    if (!hasSubject_ || subject_ != subject || isHidden()) say(html());
    subject_ = subject;
    hasSubject_ = true;
    place(at);
}

void HoverCard::show(const QString& html, QPoint at) {
    hasSubject_ = false;
    if (isHidden() || html_ != html) say(html);
    place(at);
}

void HoverCard::rewrite(std::uint32_t subject, const QString& html) {
    if (!hasSubject_ || subject_ != subject || isHidden()) return;
    say(html);
    place(at_);
}

void HoverCard::place(QPoint at) {
    at_ = at;
    const QSize wanted = size();
    const QRect room = parentWidget()->rect();
    int x = at.x() + distance, y = at.y() + distance;
    if (x + wanted.width() > room.right()) x = at.x() - distance - wanted.width();
    if (y + wanted.height() > room.bottom()) y = at.y() - distance - wanted.height();
    x = std::clamp(x, 0, std::max(0, room.right() - wanted.width()));
    y = std::clamp(y, 0, std::max(0, room.bottom() - wanted.height()));
    move(x, y);
    raise();
    QFrame::show();
}

void HoverCard::dismiss() { hide(); }

void HoverCard::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme.line);
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), corner, corner);
    painter.translate(cardPadding, cardPadding - 2);
    QAbstractTextDocumentLayout::PaintContext context;
    context.palette = palette();
    text_.documentLayout()->draw(&painter, context);
}

}  // namespace stagecraft::views::timeline
