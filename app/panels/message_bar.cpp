#include "app/panels/message_bar.h"

#include "views/common/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace stagecraft::app::panels {

MessageBar::MessageBar(const QString& icon, const QString& text, const std::vector<Choice>& choices,
                       QWidget* parent)
    : QFrame(parent) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::AlternateBase);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(16, 8, 16, 8);
    layout->setSpacing(8);
    auto* picture = new QLabel;
    picture->setPixmap(lineIcon(icon).pixmap(QSize(16, 16), devicePixelRatioF()));
    auto* label = new QLabel(text);
    label->setWordWrap(true);
    layout->addWidget(picture);
    layout->addWidget(label, 1);
    for (const auto& [title, handler] : choices) {
        auto* button = new QPushButton(title);
        button->setObjectName(title);
        connect(button, &QPushButton::clicked, this, [this, handler = handler] {
            hide();
            deleteLater();
            handler();
        });
        layout->addWidget(button);
    }
}

}  // namespace stagecraft::app::panels
