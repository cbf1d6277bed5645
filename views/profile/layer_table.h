#pragma once

#include "core/model/layer_profile.h"
#include "core/model/plan.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include <optional>

namespace stagecraft {

/// A profile as rows of layers. Numbers are shown as people read them; the tooltip has the exact value and
/// sortRole the bare number, in seconds or bytes.
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
        stage
    };
    static constexpr int sortRole = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;

    void setProfile(LayerProfile profile);
    /// The stage column is there with a plan alone.
    void setPlan(std::optional<Plan> plan);
    const LayerProfile& profile() const { return profile_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

    /// The layer's number in a column of times or bytes; nothing for the others.
    static std::optional<double> number(const Layer& layer, int column);
    /// A number of that column as people read it.
    static QString formatted(double value, int column);
    /// The same to the last digit.
    static QString exactText(double value, int column);

private:
    QVariant display(int row, int column) const;
    QString exact(int row, int column) const;
    QString stageText(int row) const;

    LayerProfile profile_;
    std::optional<Plan> plan_;
};

/// Sorts by number, filters by a part of the name, the index, or "stage N".
class LayerFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit LayerFilter(QObject* parent = nullptr);
    void setNeedle(const QString& needle);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QString needle_;
};

}  // namespace stagecraft
