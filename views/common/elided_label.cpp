#include "views/common/elided_label.h"

#include <QEvent>

namespace stagecraft {

ElidedLabel::ElidedLabel(QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void ElidedLabel::setWhole(const QString& text) {
    whole_ = text;
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
    const QString fitting = fontMetrics().elidedText(whole_, Qt::ElideRight, contentsRect().width());
    setText(fitting);
    setToolTip(fitting == whole_ ? QString() : whole_);
}

}  // namespace stagecraft
