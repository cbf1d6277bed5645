#include "views/common/role_label.h"

#include <QLabel>

namespace stagecraft {

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

}  // namespace stagecraft
