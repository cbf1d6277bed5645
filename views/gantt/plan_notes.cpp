#include "views/gantt/plan_notes.h"

#include "views/gantt/details_pane.h"
#include "views/gantt/gantt_chart.h"
#include "views/gantt/note_list.h"

#include <algorithm>

namespace stagecraft {

PlanNotes::PlanNotes(GanttChart& chart, DetailsPane& details, QObject* parent)
    : QObject(parent), chart_(chart), details_(details), list_(new NoteList) {
    details_.addSection(QStringLiteral("Notes"), list_);
    connect(&chart_, &GanttChart::noteClicked, this, [this](int note) {
        jumpTo(note);
        emit listRequested();
        details_.showSection(list_);
    });
    connect(list_, &NoteList::chosen, this, &PlanNotes::jumpTo);
    connect(list_, &NoteList::textEdited, this, &PlanNotes::rewrite);
    connect(list_, &NoteList::removeRequested, this, &PlanNotes::remove);
    connect(list_, &NoteList::addRequested, this, &PlanNotes::addRequested);
}

void PlanNotes::setData(std::shared_ptr<const ChartData> data) {
    data_ = std::move(data);
    show();
}

void PlanNotes::setNotes(std::vector<ChartNote> notes) {
    // The chosen one stays chosen where it is the same by its time.
    const std::optional<ChartNote> before =
        chosen_ >= 0 ? std::optional(notes_[static_cast<std::size_t>(chosen_)]) : std::nullopt;
    notes_ = std::move(notes);
    std::stable_sort(notes_.begin(), notes_.end(),
                     [](const ChartNote& a, const ChartNote& b) { return a.atS < b.atS; });
    chosen_ = -1;
    for (std::size_t i = 0; before && i < notes_.size(); ++i)
        if (notes_[i].atS == before->atS && notes_[i].untilS == before->untilS) chosen_ = static_cast<int>(i);
    show();
}

void PlanNotes::show() {
    chart_.setNotes(data_ ? notes_ : std::vector<ChartNote>{}, chosen_);
    list_->setNotes(notes_, data_ ? data_->endS / 1000 : 1e-3);
    list_->setCurrent(chosen_);
    details_.setSectionShown(list_, data_ && !notes_.empty());
}

void PlanNotes::choose(int note) {
    chosen_ = note < static_cast<int>(notes_.size()) ? note : -1;
    show();
}

void PlanNotes::jumpTo(int note) {
    if (note < 0 || note >= static_cast<int>(notes_.size())) return;
    choose(note);
    const ChartNote& it = notes_[static_cast<std::size_t>(note)];
    emit jumpRequested(it.atS, it.untilS.value_or(it.atS));
}

void PlanNotes::next() {
    if (!notes_.empty()) jumpTo((chosen_ + 1) % static_cast<int>(notes_.size()));
}

void PlanNotes::add(ChartNote note) {
    std::vector<ChartNote> notes = notes_;
    const auto after = std::upper_bound(notes.begin(), notes.end(), note.atS,
                                        [](double timeS, const ChartNote& it) { return timeS < it.atS; });
    const auto index = static_cast<int>(after - notes.begin());
    notes.insert(after, std::move(note));
    emit edited(notes, QStringLiteral("Add note"));
    if (notes_ != notes) return;  // nobody keeps notes here
    choose(index);
    emit listRequested();
    details_.showSection(list_);
    list_->edit(index);
}

void PlanNotes::rewrite(int note, const QString& text) {
    std::vector<ChartNote> notes = notes_;
    notes[static_cast<std::size_t>(note)].text = text.trimmed().toStdString();
    emit edited(std::move(notes), QStringLiteral("Edit note"));
}

void PlanNotes::remove(int note) {
    if (note < 0 || note >= static_cast<int>(notes_.size())) return;
    std::vector<ChartNote> notes = notes_;
    notes.erase(notes.begin() + note);
    emit edited(std::move(notes), QStringLiteral("Delete note"));
}

}  // namespace stagecraft
