#include "views/common/choice_popup.h"

#include "views/common/list_filter.h"
#include "views/common/on_screen.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::views::common {

namespace {
constexpr int topMargin = 48;
}  // namespace

ChoicePopup::ChoicePopup(const QString& prompt, std::vector<Choice> choices, QWidget* parent)
    : QDialog(parent, Qt::Popup),
      choices_(std::move(choices)),
      search_(new QLineEdit),
      list_(new QListWidget) {
    setAttribute(Qt::WA_DeleteOnClose);
    setAttribute(Qt::WA_StyledBackground);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(search_);
    layout->addWidget(list_);
    list_->setUniformItemSizes(true);
    search_->setObjectName(QStringLiteral("commandSearch"));
    search_->setPlaceholderText(prompt);
    search_->installEventFilter(this);
    connect(search_, &QLineEdit::textChanged, this, &ChoicePopup::filter);
    connect(search_, &QLineEdit::returnPressed, this, &ChoicePopup::take);
    connect(list_, &QListWidget::itemActivated, this, &ChoicePopup::take);
    filter({});
    resize(520, 360);
    if (parent) {
        const QPoint corner = parent->mapToGlobal(QPoint((parent->width() - width()) / 2, topMargin));
        move(
            within({corner, size()}, parent->screen()->availableGeometry().adjusted(8, 8, -8, -8)).topLeft());
    }
    search_->setFocus();
}

void ChoicePopup::filter(const QString& text) {
    list_->clear();
    const QStringList words = text.split(' ', Qt::SkipEmptyParts);
    for (const std::size_t choice : matches(words)) addRow(choice);
    if (list_->count() == 0) {
        auto* row = new QListWidgetItem(tr("Nothing found for “%1”").arg(text.trimmed()), list_);
        row->setFlags(Qt::NoItemFlags);
    }
    list_->setCurrentRow(0);
}

/// Those that can be chosen first, and among them those whose own text has all words; without words, all
/// that can be chosen.
std::vector<std::size_t> ChoicePopup::matches(const QStringList& words) const {
    const auto has = [&words](const auto& contains) {
        return std::all_of(words.begin(), words.end(), contains);
    };
    std::vector<std::pair<int, std::size_t>> ranked;
    for (std::size_t i = 0; i < choices_.size(); ++i) {
        const Choice& it = choices_[i];
        const bool named =
            has([&](const QString& word) { return it.text.contains(word, Qt::CaseInsensitive); });
        const bool found = has([&](const QString& word) {
            return it.text.contains(word, Qt::CaseInsensitive) ||
                   it.alsoFoundBy.contains(word, Qt::CaseInsensitive);
        });
        if (found && (it.usable || !words.isEmpty())) ranked.push_back({2 * !it.usable + !named, i});
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<std::size_t> order;
    for (const auto& [rank, choice] : ranked) order.push_back(choice);
    return order;
}

void ChoicePopup::addRow(std::size_t choice) {
    const Choice& it = choices_[choice];
    auto* row = new QListWidgetItem(
        it.icon, it.keys.isEmpty() ? it.text : it.text + QStringLiteral("    ") + it.keys, list_);
    row->setData(Qt::UserRole, static_cast<int>(choice));
    if (!it.usable) row->setFlags(Qt::NoItemFlags);
}

void ChoicePopup::take() {
    const QListWidgetItem* row = list_->currentItem();
    if (!row || !(row->flags() & Qt::ItemIsEnabled)) return;
    const int choice = row->data(Qt::UserRole).toInt();
    hide();
    emit chosen(choice);
    close();
}

bool ChoicePopup::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        if (const int step = rowStep(static_cast<QKeyEvent*>(event)->key())) {
            list_->setCurrentRow(std::clamp(list_->currentRow() + step, 0, std::max(0, list_->count() - 1)));
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace stagecraft::views::common
