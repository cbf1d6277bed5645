#include "views/gantt/hover_card.h"

#include "views/common/theme.h"

#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft {

namespace {
constexpr int distance = 16;  // from the pointer
constexpr int padding = 10;
constexpr double corner = 6;

/// Its layout takes a good part of a frame: a card without a size is measured when it is placed, and keeps
/// its size for as long as it says the same.
void say(QLabel& text, QWidget& card, const QString& html) {
    text.setText(html);
    card.resize(0, 0);
}
}  // namespace

HoverCard::HoverCard(QWidget* parent) : QFrame(parent), text_(new QLabel(this)) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    text_->setTextFormat(Qt::RichText);
    text_->setWordWrap(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(padding, padding - 2, padding, padding - 2);
    layout->addWidget(text_);
    hide();
}

void HoverCard::show(std::uint32_t subject, const std::function<QString()>& html, QPoint at) {
    if (!hasSubject_ || subject_ != subject || isHidden()) say(*text_, *this, html());
    subject_ = subject;
    hasSubject_ = true;
    place(at);
}

void HoverCard::show(const QString& html, QPoint at) {
    hasSubject_ = false;
    if (text_->text() != html) say(*text_, *this, html);
    place(at);
}

void HoverCard::rewrite(std::uint32_t subject, const QString& html) {
    if (!hasSubject_ || subject_ != subject || isHidden()) return;
    say(*text_, *this, html);
    place(at_);
}

void HoverCard::place(QPoint at) {
    at_ = at;
    QSize wanted = size();
    if (isHidden() || wanted.isEmpty()) {
        text_->setWordWrap(false);
        wanted = sizeHint();
        if (wanted.width() > mostWidth_) {
            text_->setWordWrap(true);
            wanted = QSize(mostWidth_, heightForWidth(mostWidth_));
        }
    }
    const QRect room = parentWidget()->rect();
    int x = at.x() + distance, y = at.y() + distance;
    if (x + wanted.width() > room.right()) x = at.x() - distance - wanted.width();
    if (y + wanted.height() > room.bottom()) y = at.y() - distance - wanted.height();
    x = std::clamp(x, 0, std::max(0, room.right() - wanted.width()));
    y = std::clamp(y, 0, std::max(0, room.bottom() - wanted.height()));
    setGeometry(QRect(QPoint(x, y), wanted));
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
}

}  // namespace stagecraft
