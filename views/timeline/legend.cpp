#include "views/timeline/legend.h"

#include <QEvent>
#include <QPainter>

namespace stagecraft::views::timeline {

Legend::Legend(QWidget* parent) : QWidget(parent) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void Legend::setKinds(std::vector<BlockKind> kinds) {
    content_.setKinds(std::move(kinds));
    changed();
}

void Legend::setColouring(const BlockClasses& classes) {
    content_.setColouring(classes);
    changed();
}

void Legend::setMarks(const Marks& marks) {
    content_.setMarks(marks);
    changed();
}

void Legend::setNumbers(const QString& meaning) {
    content_.setNumbers(meaning);
    changed();
}

void Legend::changed() {
    updateGeometry();
    update();
}

int Legend::heightForWidth(int width) const { return content_.heightFor(width, font()); }

QSize Legend::sizeHint() const {
    constexpr int oneLine = 24;
    return {200, oneLine};
}

void Legend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    content_.paint(painter, {}, width());
}

void Legend::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) update();
}

}  // namespace stagecraft::views::timeline
