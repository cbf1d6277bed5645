#pragma once

#include "app/rooms.h"
#include "core/experiments/experiment_draft.h"
#include "views/common/job.h"

#include <QTimer>

namespace stagecraft::app::experiments {

/// What is wrong with a draft, or what its grid will cost: known at once of a small base, and off the
/// window's thread of a large one.
class DraftCheck : public QObject {
    Q_OBJECT
public:
    explicit DraftCheck(QObject* parent = nullptr);

    /// @param texts what checkTexts makes of the draft
    void start(const CheckedDraft& texts);
    /// What can be run; nothing while something is wrong, or not known yet.
    const std::optional<Experiment>& experiment() const { return checked_.experiment; }
    const std::vector<DraftMistake>& mistakes() const { return checked_.mistakes; }

signals:
    void checked();
    /// How large the grid is and what it will take, or what is wrong with it.
    void said(const QString& sentence);

private:
    void take(const CheckedDraft& checked);
    void sayWhole();
    void askForecast();

    CheckedDraft checked_;
    Job checking_;
    Job forecasting_;
    QTimer wait_;
};

}  // namespace stagecraft::app::experiments
