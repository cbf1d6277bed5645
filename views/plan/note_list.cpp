#include "views/plan/note_list.h"

#include "views/common/widgets.h"
#include "views/timeline/time_axis.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QShortcut>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>

#include <algorithm>

namespace stagecraft::views::plan {

namespace {

constexpr int noteListHeight = 180;
enum Column { timeColumn, textColumn };

/// Texts are edited, times are not.
class NoteTree : public QTreeWidget {
public:
    using QTreeWidget::QTreeWidget;

protected:
    bool edit(const QModelIndex& index, EditTrigger trigger, QEvent* event) override {
        return QTreeWidget::edit(index.siblingAtColumn(textColumn), trigger, event);
    }
};

QString timeText(const ChartNote& note, bool gone, double resolutionS) {
    if (gone) return QStringLiteral("gone");
    const QString from = QString::fromStdString(formatInstant(note.atS, resolutionS));
    if (!note.untilS) return from;
    return from + QStringLiteral(" + ") +
           QString::fromStdString(formatInstant(*note.untilS - note.atS, resolutionS));
}

}  // namespace

NoteList::NoteList(QWidget* parent) : QWidget(parent), list_(new NoteTree(this)) {
    list_->setObjectName(QStringLiteral("noteList"));
    list_->setColumnCount(2);
    list_->setHeaderHidden(true);
    list_->setRootIsDecorated(false);
    list_->setFocusPolicy(Qt::TabFocus);  // after a click the keys are still the chart's
    list_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    list_->header()->setSectionResizeMode(timeColumn, QHeaderView::ResizeToContents);
    list_->header()->setSectionResizeMode(textColumn, QHeaderView::Stretch);
    list_->header()->setMinimumSectionSize(24);
    list_->header()->setStretchLastSection(false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addWidget(list_, 1);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(4);
    column->addLayout(buttons);
    const auto button = [&](const QString& text, const QString& tip, auto clicked) {
        auto* it = new QToolButton(this);
        it->setText(text);
        it->setToolTip(tip);
        it->setFocusPolicy(Qt::TabFocus);
        connect(it, &QToolButton::clicked, this, clicked);
        buttons->addWidget(it);
        return it;
    };
    auto* add = button(QStringLiteral("Add"), QStringLiteral("Add a note"), [this] { emit addRequested(); });
    setActionOfTip(*add, "chart.note");
    edit_ = button(QStringLiteral("Edit"), QStringLiteral("Edit its text (F2 or double click)"),
                   [this] { edit(current()); });
    remove_ = button(QStringLiteral("Delete"), QStringLiteral("Delete the note (Delete)"),
                     [this] { emit removeRequested(current()); });
    buttons->addStretch(1);
    auto* shortcut = new QShortcut(QKeySequence::Delete, list_, nullptr, nullptr, Qt::WidgetShortcut);
    connect(shortcut, &QShortcut::activated, remove_, &QToolButton::click);
    connect(list_, &QTreeWidget::itemClicked, this,
            [this](QTreeWidgetItem* item) { emit chosen(list_->indexOfTopLevelItem(item)); });
    connect(list_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
        for (QToolButton* it : {edit_, remove_}) it->setEnabled(item);
    });
    connect(list_, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem* item, int changed) {
        if (!filling_ && changed == textColumn)
            emit textEdited(list_->indexOfTopLevelItem(item), item->text(textColumn));
    });
    for (QToolButton* it : {edit_, remove_}) it->setEnabled(false);
}

void NoteList::setNotes(const PlacedNotes& placed, double resolutionS) {
    const std::vector<ChartNote>& notes = placed.notes;
    filling_ = true;
    // Rows are rewritten, not replaced: one of them may be about to signal that it was edited.
    while (list_->topLevelItemCount() > static_cast<int>(notes.size()))
        delete list_->takeTopLevelItem(list_->topLevelItemCount() - 1);
    for (std::size_t i = 0; i < notes.size(); ++i) {
        QTreeWidgetItem* row = list_->topLevelItem(static_cast<int>(i));
        if (!row) row = new QTreeWidgetItem(list_);
        row->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsEditable |
                      Qt::ItemNeverHasChildren);
        row->setText(timeColumn, timeText(notes[i], placed.gone[i], resolutionS));
        const QString about =
            notes[i].block ? QString::fromStdString(blockNameText(*notes[i].block)) : QString();
        row->setToolTip(timeColumn,
                        placed.gone[i] ? QStringLiteral("This plan no longer has the %1").arg(about) : about);
        row->setText(textColumn, QString::fromStdString(notes[i].text));
        const QString device = QString::fromStdString(notes[i].device);
        row->setToolTip(textColumn, device.isEmpty()
                                        ? row->text(textColumn)
                                        : row->text(textColumn) + QStringLiteral(" (%1)").arg(device));
    }
    list_->setFixedHeight(
        std::min(noteListHeight, 8 + list_->sizeHintForRow(0) * std::max(1, static_cast<int>(notes.size()))));
    filling_ = false;
}

void NoteList::setCurrent(int note) { list_->setCurrentItem(list_->topLevelItem(note)); }
int NoteList::current() const { return list_->indexOfTopLevelItem(list_->currentItem()); }

void NoteList::edit(int note) {
    setCurrent(note);
    // The list may just be about to be laid out; a field that has no place yet would be closed by that.
    QTimer::singleShot(0, list_, [this] {
        QTreeWidgetItem* row = list_->currentItem();
        if (!row) return;
        list_->scrollToItem(row);
        list_->editItem(row, textColumn);
    });
}

}  // namespace stagecraft::views::plan
