#include "app/help/help_panel.h"

#include "app/help/help_look.h"
#include "app/help/help_view.h"
#include "views/common/flow_layout.h"
#include "views/common/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPrintDialog>
#include <QPrinter>
#include <QToolButton>

namespace stagecraft::app::help {

HelpPanel::HelpPanel(const ActionRegister& actions, QWidget* parent)
    : QWidget(parent), view_(new HelpView(actions)), search_(new QLineEdit) {
    auto* bar = new FlowLayout(2);  // the dock may be narrower than all of them
    bar->setContentsMargins(8, 4, 8, 4);
    back_ = addButton(QStringLiteral("helpBack"), tr("Back"));
    back_->setArrowType(Qt::LeftArrow);
    forward_ = addButton(QStringLiteral("helpForward"), tr("Forward"));
    forward_->setArrowType(Qt::RightArrow);
    contents_ = addButton(QStringLiteral("helpContents"), tr("All pages"));
    contents_->setText(tr("Contents"));
    sections_ = addButton(QStringLiteral("helpSections"), tr("Sections of this page"));
    sections_->setText(tr("Sections"));
    sections_->setPopupMode(QToolButton::InstantPopup);
    sections_->setMenu(new QMenu(sections_));
    print_ = addButton(QStringLiteral("helpPrint"), tr("Print this page, or save it as PDF"));
    print_->setText(tr("Print…"));
    search_->setObjectName(QStringLiteral("helpSearch"));
    search_->setPlaceholderText(tr("Search help"));
    search_->setClearButtonEnabled(true);
    for (QWidget* widget : {back_, forward_, contents_, sections_, print_}) bar->addWidget(widget);
    auto* searching = new QHBoxLayout;
    searching->setContentsMargins(8, 0, 8, 4);
    searching->addWidget(search_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addLayout(searching);
    layout->addWidget(view_, 1);
    connect(back_, &QToolButton::clicked, view_, &HelpView::goBack);
    connect(forward_, &QToolButton::clicked, view_, &HelpView::goForward);
    connect(contents_, &QToolButton::clicked, view_,
            [this] { view_->showTopic(QStringLiteral("CONTENTS")); });
    connect(print_, &QToolButton::clicked, this, &HelpPanel::print);
    connect(search_, &QLineEdit::textEdited, this, [this](const QString& words) {
        words.trimmed().isEmpty() ? view_->showTopic(QStringLiteral("CONTENTS")) : view_->showSearch(words);
    });
    connect(search_, &QLineEdit::returnPressed, view_, qOverload<>(&QWidget::setFocus));
    connect(view_, &HelpView::pageShown, this, &HelpPanel::showState);
    setFocusProxy(view_);
    showState();
}

QToolButton* HelpPanel::addButton(const QString& name, const QString& tip) {
    auto* button = new QToolButton;
    button->setObjectName(name);
    button->setToolTip(tip);
    button->setAutoRaise(true);
    return button;
}

namespace {

bool closes(const QKeyEvent& key) {
    return (key.key() == Qt::Key_Escape && key.modifiers() == Qt::NoModifier) ||
           key.matches(QKeySequence::Close);
}

}  // namespace

/// The window has a use for these keys, too: for what is open in it.
bool HelpPanel::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride && closes(*static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void HelpPanel::keyPressEvent(QKeyEvent* event) {
    closes(*event) ? emit closeRequested() : QWidget::keyPressEvent(event);
}

void HelpPanel::focusSearch() {
    search_->setFocus();
    search_->selectAll();
}

void HelpPanel::showState() {
    back_->setEnabled(view_->canGoBack());
    forward_->setEnabled(view_->canGoForward());
    QMenu& menu = *sections_->menu();
    menu.clear();
    const HelpPage* page = view_->page();
    for (const HelpSection& section : page ? page->sections : std::vector<HelpSection>())
        if (section.level > 1)
            connect(menu.addAction(section.heading), &QAction::triggered, view_,
                    [this, topic = page->name + '#' + section.anchor] { view_->showTopic(topic); });
    sections_->setEnabled(!menu.isEmpty());
}

void HelpPanel::print() {
    auto* printer = new QPrinter(QPrinter::HighResolution);
    if (const HelpPage* page = view_->page()) printer->setDocName(page->title());
    auto* dialog = new QPrintDialog(printer, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, qOverload<QPrinter*>(&QPrintDialog::accepted), view_,
            [this](QPrinter* chosen) { printMarkdown(*chosen, view_->text(), view_->file().toStdString()); });
    connect(dialog, &QObject::destroyed, [printer] { delete printer; });
    dialog->open();
}

}  // namespace stagecraft::app::help
