#include "views/profile/layer_text.h"

#include "core/base/quantity.h"
#include "core/editing/profile_edit.h"
#include "views/common/text.h"
#include "views/profile/layer_table.h"

#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stagecraft::views::profile {

namespace {

constexpr int firstColumn = LayerTable::name, lastColumn = LayerTable::weightGradientBytes;

[[noreturn]] void refuse(const QString& sentence) { throw std::invalid_argument(sentence.toStdString()); }

struct Text {
    std::vector<QStringList> rows;
    std::vector<int> columns;  ///< of the fields: LayerTable::Column, -1 for one that is not known
    bool hasHeadings = false;
};

int columnNamed(const QString& heading) {
    for (int column = firstColumn; column <= lastColumn; ++column)
        if (heading.trimmed().compare(LayerTable::fieldName(column), Qt::CaseInsensitive) == 0) return column;
    return -1;
}

Text parsed(const QString& text) {
    Text result;
    for (QString line : text.split('\n')) {
        if (line.endsWith('\r')) line.chop(1);
        if (!line.trimmed().isEmpty()) result.rows.push_back(line.split('\t'));
    }
    if (result.rows.empty()) refuse("The clipboard holds no text that could be pasted.");
    for (const QString& heading : result.rows.front()) result.columns.push_back(columnNamed(heading));
    result.hasHeadings =
        std::any_of(result.columns.begin(), result.columns.end(), [](int c) { return c >= 0; });
    if (result.hasHeadings) result.rows.erase(result.rows.begin());
    return result;
}

double numberOf(const QString& field, int column) {
    bool isBare = false;
    const double bare = field.trimmed().toDouble(&isBare);
    if (isBare && bare >= 0 && std::isfinite(bare)) return bare;
    try {
        return parseQuantity(LayerTable::quantity(column), field.toStdString());
    } catch (const std::invalid_argument& error) {
        refuse("What was copied cannot be pasted: " + QString::fromStdString(error.what()));
    }
}

/// Weight gradient last, so that a row may set it together with its backward.
void put(Layer& layer, const QStringList& fields, const std::vector<int>& columns) {
    for (std::size_t i = 0; i < columns.size() && static_cast<int>(i) < fields.size(); ++i) {
        const QString& field = fields[static_cast<int>(i)];
        if (columns[i] == LayerTable::name)
            layer.name = field.toStdString();
        else if (columns[i] == LayerTable::weightGradientBytes)
            layer.weightGradientBytes =
                field.trimmed().isEmpty() ? std::nullopt : std::optional(numberOf(field, columns[i]));
        else if (columns[i] >= 0)
            layer.*LayerTable::field(columns[i]) = numberOf(field, columns[i]);
    }
    if (layer.weightGradientS > layer.backwardS)
        refuse(
            "What was copied cannot be pasted: a weight gradient would take longer than its whole backward.");
}

}  // namespace

QString textOfLayers(const LayerProfile& profile, const std::vector<int>& layers) {
    QStringList headings;
    for (int column = firstColumn; column <= lastColumn; ++column) headings << LayerTable::fieldName(column);
    QString text = headings.join('\t') + '\n';
    for (const int index : layers) {
        const Layer& layer = profile.layers[static_cast<std::size_t>(index)];
        QStringList fields = {QString::fromStdString(layer.name).simplified()};
        for (int column = firstColumn + 1; column <= lastColumn; ++column) {
            const std::optional<double> number = LayerTable::number(layer, column);
            fields << (number ? QString::number(*number, 'g', QLocale::FloatingPointShortest) : QString());
        }
        text += fields.join('\t') + '\n';
    }
    return text;
}

LayerProfile pastedOver(const LayerProfile& profile, const QString& text, int first, int column) {
    Text pasted = parsed(text);
    if (!pasted.hasHeadings) {
        pasted.columns.clear();
        for (int c = std::max<int>(column, firstColumn); c <= lastColumn; ++c) pasted.columns.push_back(c);
    }
    const int room = profile.layerCount() - first;
    if (static_cast<int>(pasted.rows.size()) > room)
        refuse(QString("The clipboard holds %1, but from here on there %2 only %3; paste them as new layers "
                       "instead.")
                   .arg(countedText(static_cast<long long>(pasted.rows.size()), "row"),
                        room == 1 ? QStringLiteral("is") : QStringLiteral("are"),
                        countedText(room, "layer")));
    std::vector<Layer> after(profile.layers.begin() + first,
                             profile.layers.begin() + first + static_cast<int>(pasted.rows.size()));
    for (std::size_t row = 0; row < after.size(); ++row) put(after[row], pasted.rows[row], pasted.columns);
    return replaceLayers(profile, first, after);
}

std::vector<Layer> layersOfText(const QString& text) {
    const Text pasted = parsed(text);
    if (!pasted.hasHeadings)
        refuse(
            "New layers need a first line that names the columns, as copied layers have it: name, forward_s, "
            "…");
    std::vector<Layer> layers;
    for (const QStringList& fields : pasted.rows) {
        Layer layer;
        layer.name = "pasted layer";
        put(layer, fields, pasted.columns);
        layers.push_back(layer);
    }
    return layers;
}

}  // namespace stagecraft::views::profile
