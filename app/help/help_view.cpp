#include "app/help/help_view.h"

#include "views/common/text.h"

#include <QKeyEvent>
#include <QScrollBar>

namespace stagecraft::app::help {

namespace {

QString escaped(QString text) {
    for (const char sign : {'\\', '*', '_', '`', '[', ']', '<', '$', '|'})
        text.replace(QLatin1Char(sign), QStringLiteral("\\") + QLatin1Char(sign));
    return text;
}

}  // namespace

HelpView::HelpView(const ActionRegister& actions, QWidget* parent) : MarkdownView(actions, parent) {
    setObjectName(QStringLiteral("helpView"));
    connect(this, &MarkdownView::topicChosen, this, &HelpView::showTopic);
}

void HelpView::showTopic(const QString& topic) {
    if (findHelpPlace(topic, page_))
        // The page's own name, so that it can be found again from elsewhere.
        visit({topic.startsWith('#') && page_ ? page_->name + topic : topic, false, 0});
    else
        visit({topic, true, 0});
}

void HelpView::showSearch(const QString& words) {
    const bool refines = at_ >= 0 && history_[static_cast<std::size_t>(at_)].isSearch;
    if (refines) history_.resize(static_cast<std::size_t>(at_--));  // typing is one visit
    visit({words, true, 0});
}

void HelpView::visit(Visit next) {
    if (at_ >= 0) history_[static_cast<std::size_t>(at_)].scrolled = verticalScrollBar()->value();
    history_.resize(static_cast<std::size_t>(at_ + 1));
    history_.push_back(std::move(next));
    ++at_;
    show(history_.back());
}

void HelpView::step(int by) {
    const int next = at_ + by;
    if (next < 0 || next >= static_cast<int>(history_.size())) return;
    history_[static_cast<std::size_t>(at_)].scrolled = verticalScrollBar()->value();
    at_ = next;
    const Visit visit = history_[static_cast<std::size_t>(at_)];
    show(visit);
    verticalScrollBar()->setValue(visit.scrolled);
}

void HelpView::show(const Visit& visit) {
    const auto place = visit.isSearch ? std::nullopt : findHelpPlace(visit.topic);
    page_ = place ? place->page : nullptr;
    if (place)
        showText(page_->text, page_->name + ".md");
    else
        showText(searchText(visit.topic), tr("search"));
    if (place && !place->anchor.isEmpty()) scrollToAnchor(place->anchor);
    emit pageShown();
}

QString HelpView::searchText(const QString& words) const {
    const std::vector<HelpHit> hits = searchHelp(words);
    if (hits.empty())
        return tr("# Nothing about “%1”\n\nFewer words find more. [Contents](CONTENTS.md), "
                  "[glossary](GLOSSARY.md)\n")
            .arg(escaped(words));
    QString text =
        tr("# %1 with “%2”\n\n").arg(countedText(static_cast<int>(hits.size()), "section"), escaped(words));
    for (const HelpHit& hit : hits) {
        const QString page = hit.section->level == 1 ? QString() : escaped(hit.page->title()) + ": ";
        text += QStringLiteral("- [%1%2](%3.md#%4)  \n  %5\n")
                    .arg(page, escaped(hit.section->heading), hit.page->name, hit.section->anchor,
                         escaped(hit.line));
    }
    return text;
}

void HelpView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Back))
        goBack();
    else if (event->matches(QKeySequence::Forward))
        goForward();
    else
        MarkdownView::keyPressEvent(event);
}

}  // namespace stagecraft::app::help
