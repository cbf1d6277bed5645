#pragma once

#include "app/plan/what_if.h"

#include <QWidget>

#include <array>
#include <memory>
#include <utility>
#include <vector>

class QComboBox;
class QGridLayout;
class QLabel;
class QPushButton;
class QSlider;

namespace stagecraft::app::plan {

/// Sliders for what a plan is for: number of microbatches, the bandwidth of a link or of all between servers,
/// the time of a layer, the memory limit. Their values are a trial: `tried` reports them, and what *Apply*
/// would set is written beside it. Esc resets a slider.
class WhatIfPanel : public QWidget {
    Q_OBJECT
public:
    explicit WhatIfPanel(QWidget* parent = nullptr);

    /// Shows these numbers, with nothing tried, without emitting anything.
    void setProblem(std::shared_ptr<const Problem> problem);
    /// What came of it, below the sliders.
    void setEffect(const QString& text);
    /// What differs from the problem, in the order of the sliders.
    std::vector<WhatIf> tries() const;
    /// The move of a slider before goes back, or the one that went back comes again. Moves of one slider in a
    /// row are one; there is nothing to take back where nothing is tried.
    bool canUndo() const { return !undo_.empty() && !tries().empty(); }
    bool canRedo() const { return !redo_.empty(); }
    void undo();
    void redo();
    QSlider* slider(WhatIf::Kind kind) const { return rows_[static_cast<std::size_t>(kind)].slider; }

signals:
    void tried(const std::vector<stagecraft::app::plan::WhatIf>& changes);
    void applyRequested(const std::vector<stagecraft::app::plan::WhatIf>& changes);
    /// All sliders are back where the problem has them.
    void discarded();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Row {
        QLabel* value = nullptr;
        QComboBox* target = nullptr;  ///< null: there is nothing to choose
        QSlider* slider = nullptr;
    };

    /// Where a slider is and what it is about, by WhatIf::Kind.
    using Positions = std::array<std::pair<int, int>, 4>;
    struct Move {
        WhatIf::Kind kind;
        Positions before;
    };

    void addRow(QGridLayout& grid, WhatIf::Kind kind, const QString& name, const char* id, bool targets);
    Row& row(WhatIf::Kind kind) { return rows_[static_cast<std::size_t>(kind)]; }
    WhatIf changeOf(WhatIf::Kind kind) const;
    QString valueText(const WhatIf& change) const;
    void fillTargets();
    void showPositions();
    void showPosition(WhatIf::Kind kind);
    bool isTried(WhatIf::Kind kind) const;
    void onSlider(WhatIf::Kind kind);
    void discard(WhatIf::Kind kind);
    Positions positions() const;
    void restore(const Positions& positions);
    void moved(WhatIf::Kind kind);
    void report();
    void showTries();

    std::shared_ptr<const Problem> problem_;
    std::array<Row, 4> rows_;
    QLabel* effect_;
    QLabel* changes_;  ///< what Apply would set
    QPushButton* apply_;
    QPushButton* reset_;
    Positions latest_{};
    std::vector<Move> undo_, redo_;
    bool showing_ = false;
};

}  // namespace stagecraft::app::plan
