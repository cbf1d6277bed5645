#include "views/play/key_card.h"

#include "views/play/present_choice.h"

namespace stagecraft::views {

namespace {
constexpr int keysMs = 7000;
constexpr int besideKeys = 40;  // pixels that stay free
}  // namespace

KeyCard::KeyCard(QWidget* parent) : QLabel(parent) {
    setObjectName(QStringLiteral("presentationKeys"));
    setAutoFillBackground(true);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setMargin(16);
    hide();
    timer_.setSingleShot(true);
    timer_.setInterval(keysMs);
    connect(&timer_, &QTimer::timeout, this, &QWidget::hide);
}

void KeyCard::showKeys(const QStringList& lines) {
    QFont type = parentWidget()->font();
    type.setPointSizeF(presentedPoints[0]);
    setFont(type);
    setText(lines.join(QLatin1Char('\n')));
    place();
    raise();
    show();
    timer_.start();
}

void KeyCard::place() {
    const int room = parentWidget()->width() - besideKeys;
    setWordWrap(false);
    if (sizeHint().width() <= room) {
        adjustSize();
    } else {
        setWordWrap(true);
        resize(room, heightForWidth(room));
    }
    move((parentWidget()->width() - width()) / 2, (parentWidget()->height() - height()) / 2);
}

}  // namespace stagecraft::views
