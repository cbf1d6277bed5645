#include "app/panels/section.h"

#include <QLabel>
#include <QVBoxLayout>

namespace stagecraft::app::panels {

Section::Section(const QString& title, QWidget* content, QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(8);
    auto* heading = new QLabel(title, this);
    heading->setProperty("role", "heading");
    layout->addWidget(heading);
    if (content) setContent(content);
}

void Section::setContent(QWidget* content) { layout()->addWidget(content); }

}  // namespace stagecraft::app::panels
