#include "views/profile/layer_table.h"

#include "core/base/query_text.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/editing/profile_oddities.h"
#include "core/graph/grouping.h"
#include "views/common/painted_icon.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/profile/stage_ribbon.h"

#include <QLocale>
#include <QPainter>
#include <QStringList>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace stagecraft::views::profile {

namespace {

struct NumberColumn {
    int column;
    double Layer::*field;  ///< null: Layer::weightGradientBytes, which may be missing
    Quantity quantity;
    const char* name;  ///< as files have it
};

constexpr NumberColumn numberColumns[] = {
    {LayerTable::forward, &Layer::forwardS, Quantity::seconds, "forward_s"},
    {LayerTable::backward, &Layer::backwardS, Quantity::seconds, "backward_s"},
    {LayerTable::parameters, &Layer::parameterBytes, Quantity::bytes, "parameter_bytes"},
    {LayerTable::output, &Layer::outputBytes, Quantity::bytes, "output_bytes"},
    {LayerTable::gradient, &Layer::outputGradientBytes, Quantity::bytes, "output_gradient_bytes"},
    {LayerTable::stored, &Layer::storedActivationBytes, Quantity::bytes, "stored_activation_bytes"},
    {LayerTable::weightGradient, &Layer::weightGradientS, Quantity::seconds, "weight_gradient_s"},
    {LayerTable::weightGradientBytes, nullptr, Quantity::bytes, "weight_gradient_bytes"},
};

const NumberColumn* numberColumn(int column) {
    const auto* found = std::find_if(std::begin(numberColumns), std::end(numberColumns),
                                     [column](const NumberColumn& c) { return c.column == column; });
    return found == std::end(numberColumns) ? nullptr : found;
}

struct ColumnHeading {
    const char* title;
    const char* meaning;
};

constexpr std::array columnHeadings = {
    ColumnHeading{"#", "Index of the layer, from 0"},
    ColumnHeading{"Layer", "Name of the layer"},
    ColumnHeading{"Forward", "Time of the forward pass of one microbatch on the reference GPU"},
    ColumnHeading{"Backward", "Time of the backward pass, input and weight gradient together"},
    ColumnHeading{"Parameters", "Bytes of parameters"},
    ColumnHeading{"Output", "Bytes of the activation passed to each successor"},
    ColumnHeading{"Gradient", "Bytes that come back for the output"},
    ColumnHeading{"Stored", "Activation bytes kept from the forward to the end of the backward"},
    ColumnHeading{"Weight grad.", "The part of the backward that may be deferred"},
    ColumnHeading{
        "Kept for it",
        "Bytes kept from the input gradient to the weight gradient, where they are split; dimmed where "
        "the profile is silent: half of what is stored"},
    ColumnHeading{"Stage", "The stages of the plan that hold the layer"},
    ColumnHeading{
        "Nodes",
        "How many of the network's nodes this layer holds; why they are one layer is said below the "
        "table"},
};

/// A square of a colour.
QIcon swatch(const QColor& colour) {
    constexpr QSize size(12, 12);
    return paintedIcon(
        [colour](QPainter& painter, const QRect& rect, QIcon::Mode) { painter.fillRect(rect, colour); },
        size);
}

/// Numbers to the right; what names something to the left.
Qt::Alignment alignment(int column) {
    const bool names = column == LayerTable::name || column == LayerTable::stage;
    return (names ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter;
}

}  // namespace

void LayerTable::setProfile(LayerProfile profile) {
    std::vector<int> counts;
    if (operatorsDescribeLayers(profile)) {
        counts.resize(profile.layers.size(), 0);
        for (const int layer : profile.operators.layerOf)
            if (layer >= 0) ++counts[static_cast<std::size_t>(layer)];
    }
    oddities_.clear();
    for (const ProfileOddity& oddity : profileOddities(profile)) {
        QString& text = oddities_[oddity.layer];
        text += (text.isEmpty() ? "" : "; ") +
                QString::fromStdString(oddity.text.substr(oddity.text.find(") ") + 2));
    }
    // The first column counts the rows, so that no row stays what it was where others come or go before it.
    largest_.fill(0);
    for (const Layer& layer : profile.layers)
        for (std::size_t column = 0; column < largest_.size(); ++column)
            if (const auto value = numberTaken(layer, static_cast<int>(column)))
                largest_[column] = std::max(largest_[column], std::fabs(*value));
    const bool sameCells = counts.empty() == nodeCounts_.empty() && profile.layerCount() == rowCount();
    if (!sameCells) beginResetModel();
    profile_ = std::move(profile);
    nodeCounts_ = std::move(counts);
    if (!sameCells)
        endResetModel();
    else if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

LayerTable::Column LayerTable::columnAt(int section) const {
    if (section < stage) return static_cast<Column>(section);
    return section == stage && plan_ ? stage : nodes;
}

int LayerTable::sectionOf(Column column) const {
    if (column == stage && !plan_) return -1;
    if (column == nodes) return nodeCounts_.empty() ? -1 : columnCount() - 1;
    return column;
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
    return parent.isValid() ? 0 : stage + (plan_ ? 1 : 0) + (nodeCounts_.empty() ? 0 : 1);
}

bool LayerTable::isNumber(int column) { return numberColumn(column) != nullptr; }

double Layer::*LayerTable::field(int column) {
    const NumberColumn* found = numberColumn(column);
    return found ? found->field : nullptr;
}

Quantity LayerTable::quantity(int column) {
    const NumberColumn* found = numberColumn(column);
    return found ? found->quantity : Quantity::plain;
}

QString LayerTable::fieldName(int column) {
    const NumberColumn* found = numberColumn(column);
    return found ? QString::fromLatin1(found->name) : column == name ? QString("name") : QString();
}

Qt::ItemFlags LayerTable::flags(const QModelIndex& at) const {
    const Qt::ItemFlags plain = QAbstractTableModel::flags(at);
    const bool canBeEdited = editable_ && at.isValid() && (at.column() == name || numberColumn(at.column()));
    return canBeEdited ? plain | Qt::ItemIsEditable : plain;
}

bool LayerTable::setData(const QModelIndex& at, const QVariant& value, int role) {
    if (role == Qt::EditRole && flags(at).testFlag(Qt::ItemIsEditable))
        emit valueEntered(at.row(), at.column(), value.toString());
    return false;
}

std::optional<double> LayerTable::number(const Layer& layer, int column) {
    if (column == weightGradientBytes) return layer.weightGradientBytes;
    const NumberColumn* found = numberColumn(column);
    return found ? std::optional(layer.*(found->field)) : std::nullopt;
}

std::optional<double> LayerTable::numberTaken(const Layer& layer, int column) {
    return column == weightGradientBytes ? layer.keptForWeightGradient() : number(layer, column);
}

bool LayerTable::isSilent(int row, int column) const {
    return isNumber(column) && !number(profile_.layers[static_cast<std::size_t>(row)], column);
}

QString LayerTable::formatted(double value, int column) {
    const NumberColumn* found = numberColumn(column);
    return QString::fromStdString(found && found->quantity == Quantity::seconds ? formatSeconds(value)
                                                                                : formatBytes(value));
}

QString LayerTable::besideOthers(double value, int column) const {
    const NumberColumn* found = numberColumn(column);
    const double largest = largest_.at(static_cast<std::size_t>(column));
    return QString::fromStdString(found && found->quantity == Quantity::seconds
                                      ? formatSecondsBeside(value, largest)
                                      : formatBytesBeside(value, largest));
}

QString LayerTable::stageText(int row) const {
    QStringList numbers;
    for (const int s : stagesOfLayer(*plan_, row)) numbers << QString::number(s);
    return numbers.join(", ");
}

QVariant LayerTable::display(int row, int column) const {
    const Layer& layer = profile_.layers[static_cast<std::size_t>(row)];
    if (const std::optional<double> value = numberTaken(layer, column)) return besideOthers(*value, column);
    switch (columnAt(column)) {
        case layerIndex:
            return row;
        case stage:
            return stageText(row);
        case nodes:
            return nodeCounts_[static_cast<std::size_t>(row)];
        default:
            return QString::fromStdString(layer.name);
    }
}

QString LayerTable::exactText(double value, int column) {
    const NumberColumn* found = numberColumn(column);
    if (found && found->quantity == Quantity::seconds) return QString::number(value, 'g', 15) + " s";
    return countedText(std::llround(value), "byte");
}

QString LayerTable::exact(int row, int column) const {
    const std::optional<double> value = numberTaken(profile_.layers[static_cast<std::size_t>(row)], column);
    if (value && isSilent(row, column))
        return "<p>" +
               QString("The profile does not say; half of the stored activations is taken: %1.")
                   .arg(exactText(*value, column)) +
               "</p>";
    if (value) return exactText(*value, column);
    const QString odd = column == name || column == layerIndex ? oddities_.value(row) : QString();
    // As rich text a long line wraps.
    return odd.isEmpty() ? display(row, column).toString()
                         : "<p>" + (display(row, name).toString() + ": " + odd).toHtmlEscaped() + "</p>";
}

QVariant LayerTable::bare(int row, Column column) const {
    if (column == stage) {
        const std::vector<int> held = stagesOfLayer(*plan_, row);
        return held.empty() ? -1 : held.front();
    }
    const std::optional<double> value = numberTaken(profile_.layers[static_cast<std::size_t>(row)], column);
    return value ? QVariant(*value) : display(row, sectionOf(column));
}

QVariant LayerTable::data(const QModelIndex& at, int role) const {
    if (!checkIndex(at, CheckIndexOption::IndexIsValid)) return {};
    const int row = at.row();
    const Column column = columnAt(at.column());
    switch (role) {
        case Qt::DisplayRole:
            return display(row, at.column());
        case Qt::EditRole: {
            if (isSilent(row, column)) return QString();
            const std::optional<double> value =
                number(profile_.layers[static_cast<std::size_t>(row)], column);
            return value ? QString::fromStdString(base::exactText(quantity(column), *value))
                         : display(row, at.column());
        }
        case Qt::ToolTipRole:
            return exact(row, at.column());
        case Qt::TextAlignmentRole:
            return static_cast<int>(alignment(column));
        case Qt::ForegroundRole:
            return isSilent(row, column) ? QVariant(QBrush(Theme::current().mutedText)) : QVariant();
        case Qt::DecorationRole:
            if (column == name && oddities_.contains(row)) return lineIcon(QStringLiteral("warning"));
            if (column == stage)
                if (const std::vector<int> held = stagesOfLayer(*plan_, row); !held.empty())
                    return swatch(stageColour(held.front(), plan_->stageCount()));
            return {};
        case sortRole:
            return bare(row, column);
        default:
            return {};
    }
}

QVariant LayerTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const Column column = columnAt(section);
    const ColumnHeading& heading = columnHeadings[static_cast<std::size_t>(column)];
    if (role == Qt::DisplayRole) return QString::fromLatin1(heading.title);
    if (role == Qt::ToolTipRole) return QString::fromLatin1(heading.meaning);
    if (role == Qt::TextAlignmentRole) return static_cast<int>(alignment(column));
    return {};
}

namespace {

/// Those that "stage 2" or "stage:0,2..3" asks for; none of any other text.
std::vector<std::pair<std::optional<int>, std::optional<int>>> stageRanges(QString needle) {
    constexpr std::string_view signs[] = {":"};
    if (needle.startsWith("stage ", Qt::CaseInsensitive)) needle[5] = ':';
    std::vector<std::pair<std::optional<int>, std::optional<int>>> ranges;
    try {
        const std::vector<QueryTerm> terms = queryTerms(needle.toStdString(), {signs});
        if (terms.size() != 1 || lettersAndDigits(terms[0].name.text()) != "stage") return {};
        for (const QueryPart& part : queryValues(terms[0].value, "the number of a stage"))
            ranges.push_back(queryRange(part, "stage"));
    } catch (const QueryMistake&) {  // not written to its end, or a layer's name
        return {};
    }
    return ranges;
}

}  // namespace

LayerFilter::LayerFilter(QObject* parent) : QSortFilterProxyModel(parent) {
    setSortRole(LayerTable::sortRole);
    names_.setNumericMode(true);
    names_.setCaseSensitivity(Qt::CaseInsensitive);
    setSortCaseSensitivity(Qt::CaseInsensitive);
}

bool LayerFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    if (left.column() != LayerTable::name) return QSortFilterProxyModel::lessThan(left, right);
    return names_.compare(left.data(sortRole()).toString(), right.data(sortRole()).toString()) < 0;
}

void LayerFilter::setNeedle(const QString& needle) {
    needle_ = needle.trimmed();
    stages_ = stageRanges(needle_);
    invalidateFilter();
}

bool LayerFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    if (needle_.isEmpty()) return true;
    const auto* layers = qobject_cast<const LayerTable*>(sourceModel());
    if (layers && needle_.compare(QLatin1String(oddNeedle), Qt::CaseInsensitive) == 0)
        return !layers->oddities(row).isEmpty();
    const auto text = [&](int column) { return sourceModel()->index(row, column, parent).data().toString(); };
    if (const int section = layers ? layers->sectionOf(LayerTable::stage) : -1;
        !stages_.empty() && section >= 0) {
        const QStringList stages = text(section).split(", ");
        return std::any_of(stages.begin(), stages.end(), [this](const QString& stage) {
            bool known = false;  // no plan holds layers that were added since
            const int at = stage.toInt(&known);
            return known && std::any_of(stages_.begin(), stages_.end(), [at](const auto& range) {
                       return at >= range.first.value_or(at) && at <= range.second.value_or(at);
                   });
        });
    }
    return text(LayerTable::name).contains(needle_, Qt::CaseInsensitive) ||
           text(LayerTable::layerIndex) == needle_;
}

}  // namespace stagecraft::views::profile
