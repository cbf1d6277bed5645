#include "views/common/canvas_keys.h"

#include <QKeyEvent>

namespace stagecraft {

namespace {}

bool takeCanvasKey(const QKeyEvent& event, const CanvasMoves& moves) {
    if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
    switch (event.key()) {
        case Qt::Key_F:
        case Qt::Key_Home:
            moves.fit();
            return true;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            moves.zoom(zoomStep);
            return true;
        case Qt::Key_Minus:
            moves.zoom(1 / zoomStep);
            return true;
        case Qt::Key_W:
            moves.upAndDown ? moves.pan(0, 1) : moves.zoom(zoomStep);
            return true;
        case Qt::Key_S:
            moves.upAndDown ? moves.pan(0, -1) : moves.zoom(1 / zoomStep);
            return true;
        case Qt::Key_A:
            moves.pan(1, 0);
            return true;
        case Qt::Key_D:
            moves.pan(-1, 0);
            return true;
        default:
            return false;
    }
}

}  // namespace stagecraft
