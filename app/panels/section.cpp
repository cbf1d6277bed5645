#include "app/panels/section.h"

#include <QLabel>
#include <QVBoxLayout>

namespace stagecraft::app::panels {

Section::Section(const QString& title, QWidget* content, QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(8);
    auto* heading = new QLabel(title);
    heading->setProperty("role", "heading");
    layout->addWidget(heading);
    layout->addWidget(content);
}

}  // namespace stagecraft::app::panels
