#include "app/actions/command_palette.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

namespace stagecraft {
namespace {

QString plainText(const QAction& action) { return action.text().remove('&').remove(QStringLiteral("…")); }

}  // namespace

CommandPalette::CommandPalette(const ActionRegister& actions, QWidget* parent)
    : QDialog(parent, Qt::Popup), actions_(actions), search_(new QLineEdit), list_(new QListWidget) {
    setObjectName(QStringLiteral("commandPalette"));
    setAttribute(Qt::WA_DeleteOnClose);
    setAttribute(Qt::WA_StyledBackground);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(search_);
    layout->addWidget(list_);
    search_->setObjectName(QStringLiteral("commandSearch"));
    search_->setPlaceholderText(tr("What do you want to do?"));
    search_->installEventFilter(this);
    connect(search_, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(search_, &QLineEdit::returnPressed, this, &CommandPalette::carryOut);
    connect(list_, &QListWidget::itemActivated, this, &CommandPalette::carryOut);
    filter({});
    resize(520, 360);
    if (parent) move(parent->mapToGlobal(QPoint((parent->width() - width()) / 2, 48)));
    search_->setFocus();
}

void CommandPalette::filter(const QString& text) {
    list_->clear();
    const QStringList words = text.split(' ', Qt::SkipEmptyParts);
    for (QAction* action : actions_.all()) {
        const QString line =
            actions_.menuOf(action).remove('&') + QStringLiteral("  ›  ") + plainText(*action);
        const bool matches = std::all_of(words.begin(), words.end(), [&line](const QString& word) {
            return line.contains(word, Qt::CaseInsensitive);
        });
        if (!matches || !action->isEnabled()) continue;
        const QString keys = action->shortcut().toString(QKeySequence::NativeText);
        auto* item = new QListWidgetItem(action->icon(),
                                         keys.isEmpty() ? line : line + QStringLiteral("    ") + keys, list_);
        item->setData(Qt::UserRole, action->objectName());
    }
    list_->setCurrentRow(0);
}

void CommandPalette::carryOut() {
    const QListWidgetItem* item = list_->currentItem();
    if (!item) return;
    QAction* action = actions_.action(item->data(Qt::UserRole).toString());
    close();
    // Once the palette is gone: the action may open a window of its own.
    QMetaObject::invokeMethod(action, &QAction::trigger, Qt::QueuedConnection);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
        if (step) {
            list_->setCurrentRow(std::clamp(list_->currentRow() + step, 0, list_->count() - 1));
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace stagecraft
