#pragma once

#include "core/model/chart_note.h"
#include "views/timeline/chart_data.h"

#include <QObject>

namespace stagecraft::views::timeline {
class GanttChart;
}

namespace stagecraft::views::plan {

class DetailsPane;
class NoteList;

/// The notes on a plan's chart: their flags and their list. Changes are signalled, not made.
class PlanNotes : public QObject {
    Q_OBJECT
public:
    PlanNotes(GanttChart& chart, DetailsPane& details, QObject* parent);

    void setData(std::shared_ptr<const ChartData> data);
    void setNotes(std::vector<ChartNote> notes);
    /// In the order of their times, as they were given.
    const std::vector<ChartNote>& notes() const { return notes_; }
    /// The same where their blocks are now.
    const PlacedNotes& placed() const { return placed_; }
    int chosen() const { return chosen_; }
    void choose(int note);  ///< -1: none
    void next();            ///< after the chosen one, round the end
    /// Asks for one more, and lets its text be typed once it is there.
    void add(ChartNote note);

signals:
    /// What the notes are to become, and what that is called.
    void edited(std::vector<stagecraft::model::ChartNote> notes, QString what);
    void jumpRequested(double fromS, double toS);
    void addRequested();
    void listRequested();

private:
    void place();
    void show();
    void jumpTo(int note);
    void rewrite(int note, const QString& text);
    void remove(int note);

    GanttChart& chart_;
    DetailsPane& details_;
    NoteList* list_;
    std::shared_ptr<const ChartData> data_;
    std::vector<ChartNote> notes_;  ///< by time
    PlacedNotes placed_;            ///< the same, in the same order
    int chosen_ = -1;
    std::optional<ChartNote> chosenBefore_;  ///< the chosen one as it was shown last
};

}  // namespace stagecraft::views::plan
