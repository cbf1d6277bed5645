#pragma once

#include "core/model/chart_note.h"
#include "views/rooms.h"

#include <QWidget>

#include <vector>

class QToolButton;
class QTreeWidget;

namespace stagecraft::views::plan {

/// The notes on a chart, a row each: a click jumps, a double click edits the text in its place.
class NoteList : public QWidget {
    Q_OBJECT
public:
    explicit NoteList(QWidget* parent = nullptr);

    /// `resolutionS`: instants so far apart are told apart.
    void setNotes(const PlacedNotes& placed, double resolutionS);
    void setCurrent(int note);  ///< -1: none
    int current() const;
    void edit(int note);

signals:
    void chosen(int note);
    void textEdited(int note, QString text);
    void addRequested();
    void removeRequested(int note);

private:
    QTreeWidget* list_;
    QToolButton* edit_;
    QToolButton* remove_;
    bool filling_ = false;
};

}  // namespace stagecraft::views::plan
