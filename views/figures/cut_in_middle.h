#pragma once

#include "views/figures/figure.h"

namespace stagecraft::views {

/// As cutToWidth, for ids and names, whose ends say more than their middles.
inline QString cutInMiddle(const QString& text, double widthMm, double sizePt) {
    if (textWidthMm(text, sizePt) <= widthMm) return text;
    qsizetype left = (text.size() + 1) / 2, right = text.size() / 2;
    QString cut;
    do {
        (left > right ? left : right) -= 1;
        cut = text.left(left) + QChar(0x2026) + text.right(right);
    } while (left + right > 0 && textWidthMm(cut, sizePt) > widthMm);
    return cut;
}

}  // namespace stagecraft::views
