#pragma once

#include "app/rooms.h"
#include "core/experiments/experiment_draft.h"

#include <QWidget>

#include <vector>

class QLabel;
class QVBoxLayout;

namespace stagecraft::app::experiments {

class AxisCard;
class DraftHistory;

/// The axes of an experiment, a card each.
class AxisCards : public QWidget {
    Q_OBJECT
public:
    explicit AxisCards(DraftHistory& history, QWidget* parent = nullptr);

    void showDraft();
    /// An axis over the field, or the one that there is.
    void vary(const VariableField& field);
    void clearMistakes();
    /// @param mistake of that axis @returns whether there is one
    bool showMistake(std::size_t axis, const DraftMistake& mistake);

signals:
    /// It is not laid out yet.
    void added(QWidget* card);

private:
    void addCard();

    DraftHistory& history_;
    QLabel* hint_;
    QVBoxLayout* column_;
    std::vector<AxisCard*> cards_;
};

}  // namespace stagecraft::app::experiments
