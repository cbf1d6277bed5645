#pragma once

#include "core/base/quantity.h"
#include "core/model/layer_profile.h"
#include "core/model/plan.h"
#include "views/rooms.h"

#include <QAbstractTableModel>
#include <QMap>
#include <QCollator>
#include <QSortFilterProxyModel>

#include <array>
#include <optional>

namespace stagecraft::views::profile {

/// A profile as rows of layers. Numbers are shown as people read them; the tooltip has the exact value,
/// sortRole the bare number, in seconds or bytes, and what is edited is the exact value with its unit. What a
/// person enters is asked for and does not change the model.
class LayerTable : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        layerIndex,
        name,
        forward,
        backward,
        parameters,
        output,
        gradient,
        stored,
        weightGradient,
        weightGradientBytes,  ///< the one number on which a profile may be silent
        stage,                ///< from here on columns come and go: columnAt() and sectionOf()
        nodes
    };
    static constexpr int sortRole = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;

    /// With as many layers as before, only data change. The plan stays.
    void setProfile(LayerProfile profile);
    /// The stage column is there with a plan alone.
    void setPlan(std::optional<Plan> plan);
    const LayerProfile& profile() const { return profile_; }
    /// Without it nothing can be edited.
    void setEditable(bool editable) { editable_ = editable; }
    /// What is odd about a layer: sentences, empty if nothing is.
    QString oddities(int layer) const { return oddities_.value(layer); }
    int oddLayers() const { return static_cast<int>(oddities_.size()); }

    Column columnAt(int section) const;
    int sectionOf(Column column) const;  ///< -1: not there

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    /// Emits valueEntered(); false.
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

    static bool isNumber(int column);
    /// The field of a column of numbers that every profile has, else null.
    static double Layer::*field(int column);
    static Quantity quantity(int column);
    /// The column's name in a table of plain text: "forward_s".
    static QString fieldName(int column);
    /// The layer's number in a column of times or bytes; nothing for the others, and where the profile is
    /// silent.
    static std::optional<double> number(const Layer& layer, int column);
    /// The same, or what is taken where the profile is silent.
    static std::optional<double> numberTaken(const Layer& layer, int column);
    /// A number of that column as people read it.
    static QString formatted(double value, int column);
    /// The same in the unit of the column's largest.
    QString besideOthers(double value, int column) const;
    /// The same to the last digit.
    static QString exactText(double value, int column);

signals:
    void valueEntered(int layer, int column, const QString& text);

private:
    std::array<double, 16> largest_{};  ///< of each column
    QVariant display(int row, int column) const;
    QString exact(int row, int column) const;
    bool isSilent(int row, int column) const;
    QString stageText(int row) const;

    QVariant bare(int row, Column column) const;

    LayerProfile profile_;
    std::optional<Plan> plan_;
    std::vector<int> nodeCounts_;  ///< by layer; empty: not known
    QMap<int, QString> oddities_;
    bool editable_ = true;
};

/// Sorts by number, filters by a part of the name, the index, "stage 2" ("stage:0,2..3", as blocks are
/// searched), or "odd".
class LayerFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    /// What finds the layers with oddities.
    static constexpr const char* oddNeedle = "odd";

    explicit LayerFilter(QObject* parent = nullptr);
    void setNeedle(const QString& needle);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    QCollator names_{QLocale(QLocale::English)};  ///< encoder 2 before encoder 10
    QString needle_;
    /// Of the stages asked for; none: the needle asks for none. An end that is not said is open.
    std::vector<std::pair<std::optional<int>, std::optional<int>>> stages_;
};

}  // namespace stagecraft::views::profile
