#pragma once

#include "app/plan/what_if.h"

#include <QWidget>

#include <array>
#include <optional>

class QComboBox;
class QGridLayout;
class QLabel;
class QPushButton;
class QSlider;
class QTimer;

namespace stagecraft {

/// Sliders for what a plan is for: number of microbatches, the bandwidth of a link or of all between servers,
/// the time of a layer, the memory limit. While one moves `moved` is emitted; once it is let go, or keys have
/// rested, `settled`. Esc before that: `discarded`.
class WhatIfPanel : public QWidget {
    Q_OBJECT
public:
    explicit WhatIfPanel(QWidget* parent = nullptr);

    /// Shows these numbers without emitting anything.
    void setProblem(std::shared_ptr<const Problem> problem);
    /// What came of it, below the sliders.
    void setEffect(const QString& text);
    void setResettable(bool on);
    QSlider* slider(WhatIf::Kind kind) const { return rows_[static_cast<std::size_t>(kind)].slider; }

signals:
    void moved(const stagecraft::WhatIf& change);
    void settled(const stagecraft::WhatIf& change);
    void discarded();
    void resetRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Row {
        QLabel* value = nullptr;
        QComboBox* target = nullptr;  ///< null: there is nothing to choose
        QSlider* slider = nullptr;
    };

    void addRow(QGridLayout& grid, WhatIf::Kind kind, const QString& name, const char* id, bool targets);
    Row& row(WhatIf::Kind kind) { return rows_[static_cast<std::size_t>(kind)]; }
    WhatIf changeOf(WhatIf::Kind kind) const;
    QString valueText(const WhatIf& change) const;
    void fillTargets();
    void showPositions();
    void onSlider(WhatIf::Kind kind);
    void settle();
    void discard();

    std::shared_ptr<const Problem> problem_;
    std::array<Row, 4> rows_;
    QLabel* effect_;
    QPushButton* reset_;
    QTimer* rest_;
    std::optional<WhatIf> moving_;
    bool showing_ = false;
};

}  // namespace stagecraft
