#include "app/experiments/builder/axis_cards.h"

#include "app/experiments/builder/axis_card.h"
#include "app/experiments/builder/draft_history.h"
#include "views/common/widgets.h"

#include <QLabel>
#include <QVBoxLayout>

namespace stagecraft::app::experiments {

AxisCards::AxisCards(DraftHistory& history, QWidget* parent) : QWidget(parent), history_(history) {
    hint_ =
        newParagraph(tr("Double click what varies on the left: it becomes an axis, and every combination of "
                        "the axes' values a point."),
                     "muted");
    column_ = new QVBoxLayout(this);
    column_->setContentsMargins(0, 0, 0, 0);
    column_->setSpacing(8);
    column_->addWidget(hint_);
}

void AxisCards::showDraft() {
    const std::vector<AxisDraft>& axes = history_.draft()->axes;
    hint_->setVisible(axes.empty());
    while (cards_.size() > axes.size()) {
        cards_.back()->hide();
        cards_.back()->deleteLater();
        cards_.pop_back();
    }
    while (cards_.size() < axes.size()) addCard();
    for (std::size_t i = 0; i < axes.size(); ++i) cards_[i]->setDraft(axes[i]);
}

void AxisCards::addCard() {
    auto* card = new AxisCard;
    const std::size_t axis = cards_.size();
    cards_.push_back(card);
    column_->addWidget(card);
    connect(card, &AxisCard::edited, this, [this, axis](const AxisDraft& now) {
        history_.edit(tr("an axis"), QStringLiteral("axis %1").arg(axis),
                      [&](ExperimentDraft& draft) { draft.axes[axis] = now; });
    });
    connect(card, &AxisCard::renamed, this, [this, axis](const QString& name) {
        history_.edit(tr("an axis' name"), QStringLiteral("axis name %1").arg(axis),
                      [&](ExperimentDraft& draft) { renameAxis(draft, axis, name.toStdString()); });
    });
    connect(card, &AxisCard::removeRequested, this, [this, axis] {
        history_.edit(tr("an axis taken away"), {}, [&](ExperimentDraft& draft) {
            draft.axes.erase(draft.axes.begin() + static_cast<std::ptrdiff_t>(axis));
        });
    });
    connect(card, &AxisCard::moveRequested, this, [this, axis](int by) {
        const std::size_t to = axis + static_cast<std::size_t>(by);
        if (to >= history_.draft()->axes.size()) return;
        history_.edit(tr("the order of axes"), {},
                      [&](ExperimentDraft& draft) { std::swap(draft.axes[axis], draft.axes[to]); });
    });
}

void AxisCards::vary(const VariableField& field) {
    const std::vector<AxisDraft>& axes = history_.draft()->axes;
    for (std::size_t i = 0; i < axes.size(); ++i)
        if (axes[i].field.pointers == field.pointers) return cards_[i]->focusValues();
    // What takes the place of a whole part comes before what changes the part.
    const bool part = field.kind == VariableField::Kind::file;
    history_.edit(tr("an axis"), {}, [&](ExperimentDraft& draft) {
        AxisDraft axis = axisOver(field);
        axis.name = freshAxisName(draft, axis.name);
        draft.axes.insert(part ? draft.axes.begin() : draft.axes.end(), std::move(axis));
    });
    AxisCard* card = part ? cards_.front() : cards_.back();
    emit added(card);
    card->focusValues();
}

void AxisCards::clearMistakes() {
    for (AxisCard* card : cards_) card->setMistake({}, {});
}

bool AxisCards::showMistake(std::size_t axis, const DraftMistake& mistake) {
    if (axis >= cards_.size()) return false;
    cards_[axis]->setMistake(mistake.part, QString::fromStdString(mistake.text));
    return true;
}

}  // namespace stagecraft::app::experiments
