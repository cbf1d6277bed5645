#include "app/panels/empty_panel.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace stagecraft {

EmptyPanel::EmptyPanel(const QString& title, const QString& hint, const QString& button, QWidget* parent)
    : QWidget(parent) {
    auto* heading = new QLabel(title);
    heading->setProperty("role", "heading");
    auto* text = new QLabel(hint);
    text->setProperty("role", "muted");
    text->setAlignment(Qt::AlignCenter);
    auto* action = new QPushButton(button);
    action->setProperty("primary", true);
    connect(action, &QPushButton::clicked, this, &EmptyPanel::accepted);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(8);
    layout->addStretch();
    layout->addWidget(heading, 0, Qt::AlignHCenter);
    layout->addWidget(text, 0, Qt::AlignHCenter);
    layout->addWidget(action, 0, Qt::AlignHCenter);
    layout->addStretch();
}

}  // namespace stagecraft
