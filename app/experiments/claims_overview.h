#pragma once

#include "app/rooms.h"
#include "views/common/job.h"

#include <QTreeWidget>

#include <vector>

namespace stagecraft::app::experiments {

struct JudgedExperiment;

/// All claims of the papers, and what became of them in the results that came with the program.
class ClaimsOverview : public QTreeWidget {
    Q_OBJECT
public:
    explicit ClaimsOverview(QWidget* parent = nullptr);
    /// When it is first looked at. To judge all claims takes its time, which the window does not wait for.
    void fill();

signals:
    /// Of paperExperiments().
    void paperChosen(const QString& id);

private:
    void list(const std::vector<JudgedExperiment>& experiments);

    Job judging_;
};

}  // namespace stagecraft::app::experiments
