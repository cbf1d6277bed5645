#pragma once

#include "core/experiments/claims.h"
#include "views/rooms.h"

#include <QTreeWidget>

#include <vector>

namespace stagecraft::views::experiments {

/// An experiment's claims, each with its verdict and the numbers that decide; below it where it is from, and
/// why it differs.
class ClaimsList : public QTreeWidget {
    Q_OBJECT
public:
    explicit ClaimsList(QWidget* parent = nullptr);
    void setClaims(const Experiment& experiment, const std::vector<Judgement>& judgements);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void colour();
    void spread();
};

/// "holds", "does not hold", "undecided"
QString verdictText(Verdict verdict);

}  // namespace stagecraft::views::experiments
