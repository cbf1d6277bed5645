#include "app/experiments/builder/field_tree.h"

#include "core/editing/choice_label.h"
#include "views/common/list_filter.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace stagecraft::app::experiments {

namespace {

constexpr int fieldRole = Qt::UserRole;          ///< number of the field; groups have none
constexpr int groupPathRole = Qt::UserRole + 1;  ///< of a group
constexpr int lateRole = Qt::UserRole + 2;       ///< a group that is filled when it is opened
constexpr int choicesRole = Qt::UserRole + 3;    ///< what a value may be, as files have it
constexpr std::size_t earlyDepth = 2;            ///< groups that are filled at once
constexpr int mostMatches = 200;
constexpr int valueWidth = 120;
constexpr int leastNameWidth = 168;  // with its indent

QString pathOf(const std::vector<std::string>& groups, std::size_t depth) {
    QStringList parts;
    for (std::size_t i = 0; i < depth; ++i) parts << QString::fromStdString(groups[i]);
    return parts.join(u'\x1f');
}

QString labelOf(const QString& choice) { return QString::fromStdString(choiceLabel(choice.toStdString())); }

/// Values alone are edited, those that are chosen among names by a list of these.
class ValueDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const override {
        if (index.column() != 1) return nullptr;
        const QStringList choices = index.data(choicesRole).toStringList();
        if (choices.isEmpty()) return QStyledItemDelegate::createEditor(parent, option, index);
        auto* box = new QComboBox(parent);
        for (const QString& choice : choices) box->addItem(labelOf(choice), choice);
        auto* self = const_cast<ValueDelegate*>(this);
        connect(box, &QComboBox::activated, self, [self, box] {
            emit self->commitData(box);
            emit self->closeEditor(box);
        });
        return box;
    }
    void setEditorData(QWidget* editor, const QModelIndex& index) const override {
        auto* box = qobject_cast<QComboBox*>(editor);
        if (!box) return QStyledItemDelegate::setEditorData(editor, index);
        box->setCurrentIndex(box->findData(index.data(Qt::EditRole)));
    }
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override {
        const auto* box = qobject_cast<QComboBox*>(editor);
        if (!box) return QStyledItemDelegate::setModelData(editor, model, index);
        if (box->currentIndex() >= 0) model->setData(index, box->currentData(), Qt::EditRole);
    }
};

/// A value that is chosen among names is shown by what people call it, and edited as files have it.
class FieldItem : public QTreeWidgetItem {
public:
    using QTreeWidgetItem::QTreeWidgetItem;
    QVariant data(int column, int role) const override {
        const QVariant own = QTreeWidgetItem::data(column, role);
        const bool named = role == Qt::DisplayRole && column == 1 &&
                           QTreeWidgetItem::data(column, choicesRole).toStringList().contains(own.toString());
        return named ? labelOf(own.toString()) : own;
    }
};

}  // namespace

FieldTree::FieldTree(QWidget* parent) : QWidget(parent) {
    search_ = new QLineEdit;
    search_->setObjectName(QStringLiteral("fieldSearch"));
    search_->setPlaceholderText(tr("Find a field"));
    search_->setClearButtonEnabled(true);
    tree_ = new QTreeWidget;
    tree_->setObjectName(QStringLiteral("fieldTree"));
    tree_->setHeaderLabels({tr("What may vary"), tr("Now")});
    tree_->setUniformRowHeights(true);
    tree_->setFrameShape(QFrame::NoFrame);
    tree_->setItemDelegate(new ValueDelegate(tree_));
    tree_->setEditTriggers(QAbstractItemView::SelectedClicked | QAbstractItemView::EditKeyPressed);
    tree_->setExpandsOnDoubleClick(true);
    tree_->header()->setStretchLastSection(false);
    tree_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    tree_->header()->resizeSection(1, valueWidth);
    tree_->setMinimumWidth(leastNameWidth + valueWidth);
    tree_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    tree_->installEventFilter(this);
    leadInto(*search_, *tree_);
    note_ = new QLabel;
    note_->setObjectName(QStringLiteral("fieldNote"));
    note_->setWordWrap(true);
    note_->setTextFormat(Qt::PlainText);
    vary_ = new QPushButton(tr("Vary"));
    vary_->setObjectName(QStringLiteral("varyField"));
    vary_->setToolTip(tr("Makes an axis of the field (Enter, or a double click on it)"));
    auto* row = new QHBoxLayout;
    row->addWidget(note_, 1);
    row->addWidget(vary_, 0, Qt::AlignTop);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    column->addWidget(search_);
    column->addWidget(tree_, 1);
    column->addLayout(row);
    connect(search_, &QLineEdit::textChanged, this, [this] { rebuild(); });
    connect(search_, &QLineEdit::returnPressed, this, &FieldTree::vary);
    connect(tree_, &QTreeWidget::itemExpanded, this, &FieldTree::fill);
    connect(tree_, &QTreeWidget::itemDoubleClicked, this, [this](QTreeWidgetItem*, int at) {
        if (at == 0) vary();
    });
    connect(tree_, &QTreeWidget::itemChanged, this, &FieldTree::takeEdit);
    connect(tree_, &QTreeWidget::currentItemChanged, this, [this] {
        vary_->setEnabled(current());
        showError({});
    });
    connect(vary_, &QPushButton::clicked, this, &FieldTree::vary);
    showError({});
    vary_->setEnabled(false);
}

void FieldTree::setFields(std::vector<VariableField> fields, std::set<std::string> varied) {
    fields_ = std::move(fields);
    varied_ = std::move(varied);
    rebuild();
}

void FieldTree::showError(const QString& sentence) {
    setRole(*note_, sentence.isEmpty() ? "muted" : "error");
    const VariableField* field = current();
    const QString about = field ? QString::fromStdString(field->value.description) : QString();
    note_->setText(!sentence.isEmpty() ? sentence
                   : !about.isEmpty()  ? about
                   : field             ? QString()
                           : tr("Double click a field to vary it; a click on its value changes the base."));
}

void FieldTree::rebuild() {
    building_ = true;
    QStringList open;
    const VariableField* chosen = current();
    const QString chosenPointer =
        chosen ? QString::fromStdString(chosen->pointers.front() + chosen->value.label) : QString();
    for (QTreeWidgetItemIterator it(tree_); *it; ++it)
        if ((*it)->isExpanded()) open << (*it)->data(0, groupPathRole).toString();
    const bool first = tree_->topLevelItemCount() == 0;
    tree_->clear();
    const QStringList words = search_->text().split(u' ', Qt::SkipEmptyParts);
    words.isEmpty() ? showAll() : showMatches(words);
    if (words.isEmpty())
        for (QTreeWidgetItemIterator it(tree_); *it; ++it) {
            const QString path = (*it)->data(0, groupPathRole).toString();
            const bool opened =
                first ? !path.contains(u'\x1f') && path != QLatin1String("Planners") : open.contains(path);
            if (!path.isEmpty() && opened) {
                fill(*it);
                (*it)->setExpanded(true);
            }
        }
    for (QTreeWidgetItemIterator it(tree_); *it && !chosenPointer.isEmpty(); ++it) {
        const QVariant field = (*it)->data(0, fieldRole);
        if (!field.isValid()) continue;
        const VariableField& one = fields_[field.toUInt()];
        if (QString::fromStdString(one.pointers.front() + one.value.label) == chosenPointer)
            tree_->setCurrentItem(*it);
    }
    vary_->setEnabled(current());
    building_ = false;
}

void FieldTree::showAll() {
    for (std::size_t field = 0; field < fields_.size(); ++field) {
        const std::vector<std::string>& groups = fields_[field].groups;
        QTreeWidgetItem* group = groupFor(groups, std::min(groups.size(), earlyDepth));
        if (groups.size() > earlyDepth) {
            group->setData(0, lateRole, true);
            group->setChildIndicatorPolicy(QTreeWidgetItem::ShowIndicator);
        } else {
            addField(group, field);
        }
    }
}

void FieldTree::showMatches(const QStringList& words) {
    int shown = 0;
    QTreeWidgetItem* best = nullptr;
    for (std::size_t i = 0; i < fields_.size() && shown < mostMatches; ++i) {
        const VariableField& field = fields_[i];
        const QString text = pathOf(field.groups, field.groups.size()) + u' ' +
                             QString::fromStdString(field.value.label + " " + field.value.name + " " +
                                                    field.value.description + " " + field.pointers.front());
        if (!std::all_of(words.begin(), words.end(),
                         [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); }))
            continue;
        ++shown;
        QTreeWidgetItem* item = addField(groupFor(field.groups, field.groups.size()), i);
        const QString label = QString::fromStdString(field.value.label);
        if (!best || (label.startsWith(words.front(), Qt::CaseInsensitive) &&
                      !best->text(0).startsWith(words.front(), Qt::CaseInsensitive)))
            best = item;
    }
    tree_->expandAll();
    if (best) tree_->setCurrentItem(best);
    if (shown == mostMatches)
        new QTreeWidgetItem(tree_, {tr("More: type more of it")});
    else if (shown == 0)
        new QTreeWidgetItem(tree_, {tr("No such field")});
}

QTreeWidgetItem* FieldTree::groupFor(const std::vector<std::string>& groups, std::size_t depth) {
    QTreeWidgetItem* at = tree_->invisibleRootItem();
    for (std::size_t level = 0; level < depth; ++level) {
        const QString path = pathOf(groups, level + 1);
        QTreeWidgetItem* found = nullptr;
        // The one that was made last is nearly always it.
        for (int i = at->childCount(); i-- > 0 && !found;)
            if (at->child(i)->data(0, groupPathRole).toString() == path) found = at->child(i);
        if (!found) {
            found = new QTreeWidgetItem(at, {QString::fromStdString(groups[level])});
            found->setData(0, groupPathRole, path);
            found->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
        }
        at = found;
    }
    return at;
}

QTreeWidgetItem* FieldTree::addField(QTreeWidgetItem* parent, std::size_t number) {
    const VariableField& field = fields_[number];
    const bool varied = varied_.contains(field.pointers.front());
    auto* item = new FieldItem(parent, {QString::fromStdString(field.value.label),
                                        varied ? tr("varies") : QString::fromStdString(field.present)});
    item->setData(0, fieldRole, static_cast<uint>(number));
    item->setToolTip(0, QString::fromStdString(field.value.description.empty() ? field.pointers.front()
                                                                               : field.value.description));
    item->setToolTip(1, QString::fromStdString(field.present));
    if (!field.value.othersToo && !field.value.choices.empty()) {
        QStringList choices;
        for (const std::string& choice : field.value.choices) choices << QString::fromStdString(choice);
        item->setData(1, choicesRole, choices);
        item->setToolTip(1, QString::fromStdString(choiceLabel(field.present)));
    }
    if (varied) item->setForeground(1, Theme::current().accent);
    if (field.settable && !varied) item->setFlags(item->flags() | Qt::ItemIsEditable);
    return item;
}

void FieldTree::fill(QTreeWidgetItem* item) {
    if (!item->data(0, lateRole).toBool()) return;
    const bool before = building_;
    building_ = true;
    item->setData(0, lateRole, false);
    const QString path = item->data(0, groupPathRole).toString();
    QTreeWidgetItem* group = nullptr;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        const std::vector<std::string>& groups = fields_[i].groups;
        if (groups.size() <= earlyDepth || pathOf(groups, earlyDepth) != path) continue;
        const QString inner = pathOf(groups, earlyDepth + 1);
        if (!group || group->data(0, groupPathRole).toString() != inner) {
            group = new QTreeWidgetItem(item, {QString::fromStdString(groups[earlyDepth])});
            group->setData(0, groupPathRole, inner);
            group->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
        }
        addField(group, i);
    }
    building_ = before;
}

void FieldTree::takeEdit(QTreeWidgetItem* item, int column) {
    if (building_ || column != 1 || !item->data(0, fieldRole).isValid()) return;
    const VariableField field = fields_[item->data(0, fieldRole).toUInt()];
    const QString text = item->data(1, Qt::EditRole).toString();
    if (text == QString::fromStdString(field.present)) return;
    // Once the editor is closed: what is given builds the tree anew.
    QMetaObject::invokeMethod(
        this, [this, field, text] { emit valueGiven(field, text); }, Qt::QueuedConnection);
}

const VariableField* FieldTree::current() const {
    const QTreeWidgetItem* item = tree_->currentItem();
    if (!item || !item->data(0, fieldRole).isValid()) return nullptr;
    const uint number = item->data(0, fieldRole).toUInt();
    return number < fields_.size() ? &fields_[number] : nullptr;
}

void FieldTree::vary() {
    if (const VariableField* field = current()) {
        const VariableField wanted = *field;
        emit varyRequested(wanted);
    }
}

bool FieldTree::eventFilter(QObject* watched, QEvent* event) {
    if (watched == tree_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if ((key == Qt::Key_Return || key == Qt::Key_Enter) && current()) {
            vary();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace stagecraft::app::experiments
