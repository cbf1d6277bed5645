#include "views/plan/plan_notes.h"

#include "views/plan/details_pane.h"
#include "views/plan/note_list.h"
#include "views/timeline/gantt_chart.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace stagecraft::views::plan {

PlanNotes::PlanNotes(GanttChart& chart, DetailsPane& details, QObject* parent)
    : QObject(parent),
      chart_(chart),
      details_(details),
      list_(details_.addSection<NoteList>(QStringLiteral("Notes"))) {
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
    setNotes(std::move(notes_));
}

void PlanNotes::setNotes(std::vector<ChartNote> notes) {
    // The chosen one stays chosen where it is the same by what it is about.
    const auto subject = [](const ChartNote& note) { return std::tie(note.atS, note.untilS, note.block); };
    const std::optional<ChartNote> before = chosen_ >= 0 ? chosenBefore_ : std::nullopt;
    notes_ = std::move(notes);
    place();
    chosen_ = -1;
    for (std::size_t i = 0; before && i < notes_.size(); ++i)
        if (subject(notes_[i]) == subject(*before)) chosen_ = static_cast<int>(i);
    show();
}

/// Where their blocks are now, and in that order.
void PlanNotes::place() {
    static const Timeline nothing;
    placed_ = data_ ? placeNotes(notes_, data_->timeline(), data_->cluster())
                    : placeNotes(notes_, nothing, Cluster{});
    if (!data_) placed_.gone.assign(notes_.size(), false);
    std::vector<ChartNote> sorted;
    for (const int note : placed_.from) sorted.push_back(std::move(notes_[static_cast<std::size_t>(note)]));
    notes_ = std::move(sorted);
    std::iota(placed_.from.begin(), placed_.from.end(), 0);
}

void PlanNotes::show() {
    chosenBefore_ = chosen_ >= 0 ? std::optional(notes_[static_cast<std::size_t>(chosen_)]) : std::nullopt;
    std::vector<ChartNote> flags = data_ ? placed_.notes : std::vector<ChartNote>{};
    for (std::size_t i = 0; i < flags.size(); ++i)
        if (placed_.gone[i])
            flags[i].text = "gone: " + blockNameText(*flags[i].block) +
                            (flags[i].text.empty() ? "" : " · " + flags[i].text);
    chart_.setNotes(std::move(flags), chosen_);
    list_->setNotes(placed_, data_ ? data_->endS / 1000 : 1e-3);
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
    const ChartNote& it = placed_.notes[static_cast<std::size_t>(note)];
    emit jumpRequested(it.atS, it.untilS.value_or(it.atS));
}

void PlanNotes::next() {
    if (!notes_.empty()) jumpTo((chosen_ + 1) % static_cast<int>(notes_.size()));
}

void PlanNotes::add(ChartNote note) {
    std::vector<ChartNote> notes = notes_;
    const auto after = std::upper_bound(placed_.notes.begin(), placed_.notes.end(), note.atS,
                                        [](double timeS, const ChartNote& it) { return timeS < it.atS; });
    const auto index = static_cast<int>(after - placed_.notes.begin());
    notes.insert(notes.begin() + index, std::move(note));
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

}  // namespace stagecraft::views::plan
