#pragma once

#include "views/rooms.h"

#include <QString>

#include <vector>

class QColor;
class QImage;
class QTextCharFormat;
class QTextCursor;

namespace stagecraft::views::common {

/// A formula as help pages write it, the part of TeX that they need: letters and signs, \frac{a}{b},
/// subscripts and superscripts, named functions with their limits (\max_{i}), Greek letters, accents
/// (\hat{T}, \bar{v}), \text{words}, \lceil and the like.
struct Formula {
    enum class Kind {
        letters,   ///< `text`
        row,       ///< parts one after the other
        scripts,   ///< a base, its subscript and its superscript; either may be an empty row
        fraction,  ///< above and below
        limits     ///< a named function and what stands below it
    };
    Kind kind = Kind::row;
    QString text;
    bool italic = false;  ///< a variable
    std::vector<Formula> parts;

    bool isEmpty() const { return kind == Kind::row && parts.empty(); }
};

/// @throws std::invalid_argument that says what is wrong and where
Formula parseFormula(const QString& tex);

/// On one line of plain text: "W_i + max_s (A_s)/(2 M)".
QString formulaText(const Formula& formula);
/// Within a line of a document: italic variables, raised and lowered scripts.
void insertFormula(QTextCursor& cursor, const Formula& formula, const QTextCharFormat& format);
/// Set on its own, fractions as fractions.
/// @param points of its letters @param scale pixels to the unit of the screen
QImage drawFormula(const Formula& formula, double points, const QColor& colour, double scale);

}  // namespace stagecraft::views::common
