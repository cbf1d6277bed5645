#include "views/profile/layer_table.h"

#include "core/model/units.h"
#include "views/common/theme.h"
#include "views/profile/stage_ribbon.h"

#include <QLocale>
#include <QPainter>
#include <QPixmap>
#include <QStringList>

#include <algorithm>
#include <array>
#include <iterator>

namespace stagecraft {

namespace {

struct NumberColumn {
    int column;
    double Layer::*field;
    bool isTime;
};

constexpr NumberColumn numberColumns[] = {
    {LayerTable::forward, &Layer::forwardS, true},
    {LayerTable::backward, &Layer::backwardS, true},
    {LayerTable::parameters, &Layer::parameterBytes, false},
    {LayerTable::output, &Layer::outputBytes, false},
    {LayerTable::gradient, &Layer::outputGradientBytes, false},
    {LayerTable::stored, &Layer::storedActivationBytes, false},
    {LayerTable::weightGradient, &Layer::weightGradientS, true},
};

const NumberColumn* numberColumn(int column) {
    const auto* found = std::find_if(std::begin(numberColumns), std::end(numberColumns),
                                     [column](const NumberColumn& c) { return c.column == column; });
    return found == std::end(numberColumns) ? nullptr : found;
}

struct Heading {
    const char* title;
    const char* meaning;
};

constexpr std::array headings = {
    Heading{"#", "Index of the layer, from 0"},
    Heading{"Layer", "Name of the layer"},
    Heading{"Forward", "Time of the forward pass of one microbatch on the reference GPU"},
    Heading{"Backward", "Time of the backward pass, input and weight gradient together"},
    Heading{"Parameters", "Bytes of parameters"},
    Heading{"Output", "Bytes of the activation handed to each successor"},
    Heading{"Gradient", "Bytes that come back for the output"},
    Heading{"Stored", "Activation bytes kept from the forward to the end of the backward"},
    Heading{"Weight grad.", "The part of the backward that may be deferred"},
    Heading{"Stage", "The stages of the plan that hold the layer"},
};

/// A square of a colour.
QPixmap swatch(const QColor& colour) {
    constexpr int side = 12;
    constexpr int sharpness = 2;
    QPixmap pixmap(sharpness * side, sharpness * side);
    pixmap.setDevicePixelRatio(sharpness);
    pixmap.fill(colour);
    return pixmap;
}

/// Numbers to the right; what names something to the left.
Qt::Alignment alignment(int column) {
    const bool names = column == LayerTable::name || column == LayerTable::stage;
    return (names ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter;
}

}  // namespace

void LayerTable::setProfile(LayerProfile profile) {
    beginResetModel();
    profile_ = std::move(profile);
    plan_.reset();
    endResetModel();
}

void LayerTable::setPlan(std::optional<Plan> plan) {
    if (plan.has_value() == plan_.has_value()) {
        plan_ = std::move(plan);
        if (plan_ && rowCount() > 0) emit dataChanged(index(0, stage), index(rowCount() - 1, stage));
        return;
    }
    if (plan) {
        beginInsertColumns({}, stage, stage);
        plan_ = std::move(plan);
        endInsertColumns();
    } else {
        beginRemoveColumns({}, stage, stage);
        plan_.reset();
        endRemoveColumns();
    }
}

int LayerTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : profile_.layerCount();
}

int LayerTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : plan_ ? stage + 1 : stage;
}

std::optional<double> LayerTable::number(const Layer& layer, int column) {
    const NumberColumn* found = numberColumn(column);
    return found ? std::optional(layer.*(found->field)) : std::nullopt;
}

QString LayerTable::formatted(double value, int column) {
    const NumberColumn* found = numberColumn(column);
    return QString::fromStdString(found && found->isTime ? formatSeconds(value) : formatBytes(value));
}

QString LayerTable::stageText(int row) const {
    QStringList numbers;
    for (const int s : stagesOfLayer(*plan_, row)) numbers << QString::number(s);
    return numbers.join(", ");
}

QVariant LayerTable::display(int row, int column) const {
    const Layer& layer = profile_.layers[static_cast<std::size_t>(row)];
    if (const std::optional<double> value = number(layer, column)) return formatted(*value, column);
    if (column == LayerTable::layerIndex) return row;
    return column == name ? QString::fromStdString(layer.name) : stageText(row);
}

QString LayerTable::exactText(double value, int column) {
    const NumberColumn* found = numberColumn(column);
    if (found && found->isTime) return QString::number(value, 'g', 15) + " s";
    return QLocale(QLocale::English).toString(value, 'f', 0).replace(',', ' ') + " bytes";
}

QString LayerTable::exact(int row, int column) const {
    const std::optional<double> value = number(profile_.layers[static_cast<std::size_t>(row)], column);
    return value ? exactText(*value, column) : display(row, column).toString();
}

QVariant LayerTable::data(const QModelIndex& at, int role) const {
    if (!checkIndex(at, CheckIndexOption::IndexIsValid)) return {};
    const int row = at.row();
    const int column = at.column();
    switch (role) {
        case Qt::DisplayRole: return display(row, column);
        case Qt::ToolTipRole: return exact(row, column);
        case Qt::TextAlignmentRole:
            return static_cast<int>(alignment(column));
        case Qt::DecorationRole:
            if (column == stage)
                if (const std::vector<int> held = stagesOfLayer(*plan_, row); !held.empty())
                    return swatch(stageColour(held.front(), plan_->stageCount()));
            return {};
        case sortRole: {
            if (column == stage) {
                const std::vector<int> held = stagesOfLayer(*plan_, row);
                return held.empty() ? -1 : held.front();
            }
            const std::optional<double> value =
                number(profile_.layers[static_cast<std::size_t>(row)], column);
            return value ? QVariant(*value) : display(row, column);
        }
        default: return {};
    }
}

QVariant LayerTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const Heading& heading = headings[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole) return QString::fromLatin1(heading.title);
    if (role == Qt::ToolTipRole) return QString::fromLatin1(heading.meaning);
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(alignment(section));
    return {};
}

LayerFilter::LayerFilter(QObject* parent) : QSortFilterProxyModel(parent) {
    setSortRole(LayerTable::sortRole);
    setSortCaseSensitivity(Qt::CaseInsensitive);
}

void LayerFilter::setNeedle(const QString& needle) {
    needle_ = needle.trimmed();
    invalidateFilter();
}

bool LayerFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    if (needle_.isEmpty()) return true;
    const auto text = [&](int column) { return sourceModel()->index(row, column, parent).data().toString(); };
    if (needle_.startsWith("stage ", Qt::CaseInsensitive) && sourceModel()->columnCount() > LayerTable::stage)
        return text(LayerTable::stage).split(", ").contains(needle_.mid(6).trimmed());
    return text(LayerTable::name).contains(needle_, Qt::CaseInsensitive) ||
           text(LayerTable::layerIndex) == needle_;
}

}  // namespace stagecraft
