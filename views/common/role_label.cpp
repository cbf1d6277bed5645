#include "views/common/role_label.h"

#include <QLabel>
#include <QStyle>

namespace stagecraft::views {

QLabel* newLine(const QString& text, const char* role) {
    auto* label = new QLabel(text);
    label->setProperty("role", role);
    return label;
}

QLabel* newParagraph(const QString& text, const char* role) {
    QLabel* label = newLine(text, role);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    return label;
}

void setRole(QWidget& widget, const char* role) {
    if (widget.property("role") == QLatin1String(role)) return;
    widget.setProperty("role", role);
    // A style sheet reads properties once, when it first styles a widget.
    widget.style()->unpolish(&widget);
    widget.style()->polish(&widget);
}

}  // namespace stagecraft::views
