#include "views/common/theme.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

static void loadIconResources() { Q_INIT_RESOURCE(theme); }

namespace stagecraft::views::common {
namespace {

/// Draws the vector file afresh at each size and in the colour of the current theme, so that a change of
/// theme or of screen needs no new icons.
class LineIconEngine : public QIconEngine {
public:
    explicit LineIconEngine(QByteArray svg) : svg_(std::move(svg)) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
        const Theme& theme = Theme::current();
        QByteArray coloured = svg_;
        coloured.replace("currentColor",
                         (mode == QIcon::Disabled ? theme.mutedText : theme.text).name().toLatin1());
        QSvgRenderer renderer(coloured);
        if (mode == QIcon::Disabled) painter->setOpacity(0.5);
        renderer.render(painter, rect);
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        painter.setRenderHint(QPainter::Antialiasing);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return pixmap;
    }
    QIconEngine* clone() const override { return new LineIconEngine(svg_); }

private:
    QByteArray svg_;
};

}  // namespace

QIcon lineIcon(const QString& name) {
    loadIconResources();
    QFile file(QStringLiteral(":/stagecraft/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QIcon(new LineIconEngine(file.readAll()));
}

}  // namespace stagecraft::views::common
