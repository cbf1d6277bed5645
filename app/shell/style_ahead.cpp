#include "app/shell/style_ahead.h"

#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>
#include <QWidget>

#include <memory>

namespace stagecraft::app {
namespace {

constexpr int sliceMs = 4;

}  // namespace

void styleAhead(QWidget& hidden) {
    // From the innermost out, since styling a widget styles all that it contains.
    auto left = std::make_shared<QList<QPointer<QWidget>>>();
    for (QWidget* part : hidden.findChildren<QWidget*>()) left->append(part);
    auto* timer = new QTimer(&hidden);
    QObject::connect(timer, &QTimer::timeout, &hidden, [timer, left] {
        QElapsedTimer slice;
        slice.start();
        while (!left->isEmpty() && slice.elapsed() < sliceMs)
            if (const QPointer<QWidget> part = left->takeLast()) part->ensurePolished();
        if (left->isEmpty()) timer->deleteLater();
    });
    timer->start(0);
}

}  // namespace stagecraft::app
