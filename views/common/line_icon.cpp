#include "views/common/painted_icon.h"
#include "views/common/theme.h"

#include <QFile>
#include <QSvgRenderer>

static void loadIconResources() { Q_INIT_RESOURCE(theme); }

namespace stagecraft::views::common {

QIcon lineIcon(const QString& name) {
    loadIconResources();
    QFile file(QStringLiteral(":/stagecraft/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly)) return {};
    return paintedIcon([svg = file.readAll()](QPainter& painter, const QRect& rect, QIcon::Mode mode) {
        const Theme& theme = Theme::current();
        QByteArray coloured = svg;
        coloured.replace("currentColor",
                         (mode == QIcon::Disabled ? theme.mutedText : theme.text).name().toLatin1());
        QSvgRenderer(coloured).render(&painter, rect);
    });
}

}  // namespace stagecraft::views::common
