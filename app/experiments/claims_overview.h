#pragma once

#include "app/rooms.h"

#include <QTreeWidget>

namespace stagecraft::app::experiments {

/// All claims of the papers, and what became of them in the results that came with the program.
class ClaimsOverview : public QTreeWidget {
    Q_OBJECT
public:
    explicit ClaimsOverview(QWidget* parent = nullptr);
    /// When it is first looked at: to judge all claims takes its time.
    void fill();

signals:
    /// Of paperExperiments().
    void paperChosen(const QString& id);
};

}  // namespace stagecraft::app::experiments
