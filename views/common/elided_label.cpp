#include "views/common/elided_label.h"

#include <QEvent>

namespace stagecraft::views {

ElidedLabel::ElidedLabel(QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void ElidedLabel::setWhole(const QString& text) {
    if (text == whole_) return;
    whole_ = text;
    updateGeometry();
    elide();
}

QSize ElidedLabel::sizeHint() const {
    const QMargins margins = contentsMargins();
    return {fontMetrics().horizontalAdvance(whole_) + margins.left() + margins.right() + 2,
            QLabel::sizeHint().height()};
}

QSize ElidedLabel::minimumSizeHint() const { return {0, QLabel::minimumSizeHint().height()}; }

void ElidedLabel::showEvent(QShowEvent* event) {
    QLabel::showEvent(event);
    elide();
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    elide();
}

void ElidedLabel::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::FontChange) elide();
}

void ElidedLabel::elide() {
    if (!isVisible()) return setText(whole_);  // it has no width yet
    const QString fitting = fontMetrics().elidedText(whole_, Qt::ElideRight, contentsRect().width());
    setText(fitting);
    setToolTip(fitting == whole_ ? QString() : whole_);
}

}  // namespace stagecraft::views
