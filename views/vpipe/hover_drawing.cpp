#include "views/vpipe/hover_drawing.h"

namespace stagecraft::views::vpipe {

void inkText(Figure& figure, std::size_t fromItem, const DrawingLook& look) {
    for (std::size_t i = fromItem; i < figure.items.size(); ++i)
        if (auto* text = std::get_if<FigureText>(&figure.items[i]))
            if (text->colour == QColor(0, 0, 0)) text->colour = look.ink;
}

QString spotRow(const QString& name, const QString& value) {
    return QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td align=right>%2</td></tr>")
        .arg(name.toHtmlEscaped(), value.toHtmlEscaped().replace(' ', QStringLiteral("&nbsp;")));
}

QString spotTable(const QString& title, const QString& rows) {
    return QStringLiteral("<b>%1</b><table cellspacing=0>%2</table>").arg(title.toHtmlEscaped(), rows);
}

}  // namespace stagecraft::views::vpipe
