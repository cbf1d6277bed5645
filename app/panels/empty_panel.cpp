#include "app/panels/empty_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace stagecraft::app::panels {

EmptyPanel::EmptyPanel(const QString& title, const QString& hint, const QString& button, const QString& other,
                       QWidget* parent)
    : QWidget(parent) {
    auto* heading = new QLabel(title);
    heading->setProperty("role", "heading");
    auto* text = new QLabel(hint);
    text->setProperty("role", "muted");
    text->setAlignment(Qt::AlignCenter);
    text->setWordWrap(true);
    auto* action = new QPushButton(button);
    action->setProperty("primary", true);
    connect(action, &QPushButton::clicked, this, &EmptyPanel::accepted);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(8);
    layout->addStretch();
    layout->addWidget(heading, 0, Qt::AlignHCenter);
    layout->addWidget(text);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addStretch();
    buttons->addWidget(action);
    if (!other.isEmpty()) {
        auto* second = new QPushButton(other);
        connect(second, &QPushButton::clicked, this, &EmptyPanel::otherAccepted);
        buttons->addWidget(second);
    }
    buttons->addStretch();
    layout->addLayout(buttons);
    layout->addStretch();
}

}  // namespace stagecraft::app::panels
