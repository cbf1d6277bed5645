#include "views/common/painted_icon.h"

#include <QIconEngine>
#include <QPixmap>

#include <utility>

namespace stagecraft::views::common {
namespace {

class PaintedIconEngine : public QIconEngine {
public:
    PaintedIconEngine(IconPaint paint, QSize most) : paint_(std::move(paint)), most_(most) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
        painter->save();
        if (mode == QIcon::Disabled) painter->setOpacity(0.5);
        paint_(*painter, rect, mode);
        painter->restore();
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        painter.setRenderHint(QPainter::Antialiasing);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return pixmap;
    }
    QSize actualSize(const QSize& size, QIcon::Mode, QIcon::State) override {
        return most_.isEmpty() ? size : size.boundedTo(most_);
    }
    QIconEngine* clone() const override { return new PaintedIconEngine(paint_, most_); }

private:
    IconPaint paint_;
    QSize most_;
};

}  // namespace

QIcon paintedIcon(IconPaint paint, QSize most) {
    return QIcon(new PaintedIconEngine(std::move(paint), most));
}

}  // namespace stagecraft::views::common
