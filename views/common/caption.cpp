#include "views/common/caption.h"

#include "views/common/theme.h"

#include <QFontMetrics>
#include <QPainter>

namespace stagecraft::views::common {

QImage withCaption(const QImage& picture, const QString& text, double scale, QFont font) {
    if (text.isEmpty()) return picture;
    constexpr int padding = 6;
    constexpr int mostLines = 4;
    font.setBold(true);
    const QFontMetrics metrics(font);
    const QRect room(padding, padding, qRound(picture.width() / scale) - 2 * padding,
                     mostLines * metrics.lineSpacing());
    const int height = metrics.boundingRect(room, Qt::TextWordWrap, text).height() + 2 * padding;
    const int offset = qRound(height * scale);
    QImage result(picture.width(), picture.height() + offset, QImage::Format_RGB32);
    result.fill(Theme::current().surface);
    QPainter painter(&result);
    painter.drawImage(QPoint(0, offset), picture);
    painter.scale(scale, scale);
    painter.setFont(font);
    painter.setPen(Theme::current().text);
    painter.drawText(room, Qt::TextWordWrap, text);
    return result;
}

}  // namespace stagecraft::views::common
