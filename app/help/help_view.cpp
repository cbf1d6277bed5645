#include "app/help/help_view.h"

#include "app/actions/action_register.h"
#include "app/document/samples.h"
#include "app/help/help_document.h"
#include "core/formats/input_error.h"
#include "views/common/counted_text.h"
#include "views/common/theme.h"

#include <QDesktopServices>
#include <QKeyEvent>
#include <QPrinter>
#include <QScrollBar>
#include <QTextDocument>

#include <algorithm>

namespace stagecraft::app {

namespace {

constexpr int margin = 16, resizeMs = 150;
constexpr double smallestPoints = 7, largestPoints = 28;
constexpr const char* actionScheme = "action";
constexpr const char* sampleScheme = "sample";

QString plainName(QString text) {
    return text.section(':', 0, 0).remove('&').remove(QStringLiteral("…")).simplified();
}

QString escaped(QString text) {
    for (const char sign : {'\\', '*', '_', '`', '[', ']', '<', '$', '|'})
        text.replace(QLatin1Char(sign), QStringLiteral("\\") + QLatin1Char(sign));
    return text;
}

}  // namespace

HelpView::HelpView(const ActionRegister& actions, QWidget* parent)
    : QTextBrowser(parent), actions_(actions), points_(font().pointSizeF()) {
    setObjectName(QStringLiteral("helpView"));
    setOpenLinks(false);
    setFrameShape(QFrame::NoFrame);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);  // pages are as wide with it as without
    document()->setDocumentMargin(margin);
    connect(this, &QTextBrowser::anchorClicked, this, &HelpView::follow);
    resized_.setSingleShot(true);
    resized_.setInterval(resizeMs);
    connect(&resized_, &QTimer::timeout, this, &HelpView::refresh);
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
    text_ = place ? place->page->text : searchText(visit.topic);
    verticalScrollBar()->setValue(0);
    refresh();
    if (place && !place->anchor.isEmpty()) scrollToAnchor(place->anchor);
    emit pageShown();
}

void HelpView::refresh() {
    if (text_.isEmpty()) return;
    const int scrolled = verticalScrollBar()->value();
    QFont font = this->font();
    font.setPointSizeF(points_);
    document()->setDefaultFont(font);
    const HelpLook look{&Theme::current(), devicePixelRatioF(),
                        static_cast<double>(std::max(viewport()->width() - 2 * margin, 100)),
                        [this](const QString& words) { return linkOf(words); }};
    try {
        showMarkdown(*document(), text_, page_ ? page_->name.toStdString() + ".md" : "search", look);
    } catch (const std::exception& error) {
        setPlainText(QString::fromUtf8(error.what()) + "\n\n" + text_);
    }
    verticalScrollBar()->setValue(scrolled);
}

void HelpView::printTo(QPrinter& printer) const {
    QTextDocument paper;
    QFont font = this->font();
    constexpr double paperPoints = 10;
    font.setPointSizeF(paperPoints);
    paper.setDefaultFont(font);
    const double widthPx = printer.pageRect(QPrinter::Inch).width() * logicalDpiX();
    constexpr double sharp = 3;
    showMarkdown(paper, text_, page_ ? page_->name.toStdString() + ".md" : "search",
                 {&Theme::light(), sharp, widthPx * 0.9, {}});
    paper.print(&printer);
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

QString HelpView::linkOf(const QString& words) const {
    const QString menu = words.section(QStringLiteral(" > "), 0, 0),
                  name = words.section(QStringLiteral(" > "), 1);
    for (const QAction* action : actions_.all())
        if (!name.isEmpty() && plainName(actions_.menuOf(action)) == menu &&
            plainName(action->text()) == plainName(name))
            return QStringLiteral("%1:%2").arg(QLatin1String(actionScheme), action->objectName());
    for (const Sample& sample : samples())
        if (sample.title == words) return QStringLiteral("%1:%2").arg(QLatin1String(sampleScheme), sample.id);
    return {};
}

void HelpView::follow(const QUrl& link) {
    const QString scheme = link.scheme();
    if (scheme == QLatin1String(actionScheme)) {
        QAction* action = actions_.action(link.path());
        if (action && action->isEnabled())
            action->trigger();
        else if (action)
            emit statusText(tr("“%1” cannot be done now").arg(plainName(action->text())));
    } else if (scheme == QLatin1String(sampleScheme)) {
        emit sampleChosen(link.path());
    } else if (scheme == QLatin1String("https") || scheme == QLatin1String("http")) {
        QDesktopServices::openUrl(link);
    } else {
        showTopic(link.toString());
    }
}

void HelpView::changeEvent(QEvent* event) {
    QTextBrowser::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) resized_.start();
}

void HelpView::resizeEvent(QResizeEvent* event) {
    QTextBrowser::resizeEvent(event);
    if (event->oldSize().width() != event->size().width()) resized_.start();
}

void HelpView::wheelEvent(QWheelEvent* event) {
    if (!(event->modifiers() & Qt::ControlModifier)) return QTextBrowser::wheelEvent(event);
    points_ = std::clamp(points_ + (event->angleDelta().y() > 0 ? 1 : -1), smallestPoints, largestPoints);
    refresh();
}

void HelpView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Back))
        goBack();
    else if (event->matches(QKeySequence::Forward))
        goForward();
    else
        QTextBrowser::keyPressEvent(event);
}

}  // namespace stagecraft::app
