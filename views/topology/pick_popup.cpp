#include "views/topology/pick_popup.h"

#include "views/common/on_screen.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QHBoxLayout>
#include <QLabel>
#include <QScreen>
#include <QSpinBox>
#include <QVBoxLayout>

namespace stagecraft::views::topology {
namespace {

constexpr QSize popupSize(300, 320);

}  // namespace

PickPopup::PickPopup(const QString& name, const QString& placeholder, Search search, QWidget* parent)
    : QFrame(parent, Qt::Popup), offered_(std::move(search)), words_(new QLineEdit), list_(new QListWidget) {
    setObjectName(name);
    setAttribute(Qt::WA_DeleteOnClose);
    setFrameShape(QFrame::StyledPanel);
    words_->setObjectName(QStringLiteral("pickWords"));
    words_->setPlaceholderText(placeholder);
    words_->installEventFilter(this);
    list_->setObjectName(QStringLiteral("pickList"));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setUniformItemSizes(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    column->addWidget(words_);
    column->addWidget(list_);
    connect(words_, &QLineEdit::textChanged, this, &PickPopup::fill);
    connect(words_, &QLineEdit::returnPressed, this, &PickPopup::accept);
    connect(list_, &QListWidget::itemClicked, this, &PickPopup::accept);
    fill();
}

void PickPopup::askCount(const QString& label, int usual, int most) {
    count_ = new QSpinBox;
    count_->setObjectName(QStringLiteral("pickCount"));
    count_->setRange(2, most);
    count_->setValue(usual);
    count_->setAccessibleName(label);
    count_->installEventFilter(this);
    auto* row = new QHBoxLayout;
    row->addWidget(new QLabel(label));
    row->addWidget(count_, 1);
    static_cast<QVBoxLayout*>(layout())->insertLayout(1, row);
}

void PickPopup::fill() {
    list_->clear();
    for (const PickEntry& entry : offered_(words_->text())) {
        auto* item = new QListWidgetItem(entry.text, list_);
        item->setToolTip(entry.tip);
        item->setData(Qt::UserRole, entry.index);
    }
    if (list_->count() == 0) {
        (new QListWidgetItem(tr("Nothing found"), list_))->setFlags(Qt::NoItemFlags);
        return;
    }
    list_->setCurrentRow(0);
}

void PickPopup::accept() {
    const QListWidgetItem* chosen = list_->currentItem();
    if (!chosen || !(chosen->flags() & Qt::ItemIsEnabled)) return;
    const int index = chosen->data(Qt::UserRole).toInt();
    if (count_) count_->interpretText();
    const int count = count_ ? count_->value() : 0;
    close();
    emit accepted(index, count);
}

void PickPopup::showAt(const QPoint& globalPosition) {
    resize(popupSize);
    move(within({globalPosition, size()}, screen()->availableGeometry()).topLeft());
    show();
    words_->setFocus();
}

/// The arrows go through the list while the cursor stays in the field.
bool PickPopup::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (watched == count_) {
        if (key != Qt::Key_Return && key != Qt::Key_Enter) return false;
        accept();
        return true;
    }
    if (key != Qt::Key_Up && key != Qt::Key_Down) return false;
    QCoreApplication::sendEvent(list_, event);
    return true;
}

}  // namespace stagecraft::views::topology
