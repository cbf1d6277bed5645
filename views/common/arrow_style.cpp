#include "views/common/arrow_style.h"

#include <QStyleOption>

#include <algorithm>

namespace stagecraft::views::common {

ArrowStyle::ArrowStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

/// The first of the palettes that are equal to it.
const QPalette& ArrowStyle::known(const QPalette& palette) const {
    constexpr std::size_t most = 32;  // of states and of themes
    const auto found = std::find(palettes_.begin(), palettes_.end(), palette);
    if (found != palettes_.end()) return *found;
    if (palettes_.size() == most) palettes_.erase(palettes_.begin());
    return palettes_.emplace_back(palette);
}

void ArrowStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                               const QWidget* widget) const {
    const bool isArrow = element == PE_IndicatorArrowUp || element == PE_IndicatorArrowDown ||
                         element == PE_IndicatorArrowLeft || element == PE_IndicatorArrowRight;
    if (!isArrow || !option) return QProxyStyle::drawPrimitive(element, option, painter, widget);
    QStyleOption lasting = *option;
    lasting.palette = known(option->palette);
    QProxyStyle::drawPrimitive(element, &lasting, painter, widget);
}

}  // namespace stagecraft::views::common
