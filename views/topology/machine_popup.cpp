#include "views/topology/machine_popup.h"

#include "views/common/on_screen.h"
#include "views/topology/machine_choice.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QScreen>
#include <QVBoxLayout>

namespace stagecraft::views {
namespace {

constexpr QSize popupSize(300, 320);

}  // namespace

MachinePopup::MachinePopup(QWidget* parent)
    : QFrame(parent, Qt::Popup), search_(new QLineEdit), list_(new QListWidget) {
    setObjectName(QStringLiteral("machinePopup"));
    setAttribute(Qt::WA_DeleteOnClose);
    setFrameShape(QFrame::StyledPanel);
    search_->setObjectName(QStringLiteral("machineSearch"));
    search_->setPlaceholderText(tr("Server or rack, as in H100"));
    search_->installEventFilter(this);
    list_->setObjectName(QStringLiteral("machineList"));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setFocusPolicy(Qt::NoFocus);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    column->addWidget(search_);
    column->addWidget(list_);
    connect(search_, &QLineEdit::textChanged, this, &MachinePopup::fill);
    connect(search_, &QLineEdit::returnPressed, this, &MachinePopup::accept);
    connect(list_, &QListWidget::itemClicked, this, &MachinePopup::accept);
    fill();
}

void MachinePopup::fill() {
    list_->clear();
    for (const MachineChoice& machine : machinesFor(search_->text()))
        (new QListWidgetItem(machine.name, list_))->setToolTip(machine.what);
    list_->setCurrentRow(0);
}

void MachinePopup::accept() {
    const QListWidgetItem* chosen = list_->currentItem();
    if (!chosen) return;
    const QString name = chosen->text();
    close();
    emit accepted(name);
}

void MachinePopup::showAt(const QPoint& globalPosition) {
    resize(popupSize);
    move(within({globalPosition, size()}, screen()->availableGeometry()).topLeft());
    show();
    search_->setFocus();
}

/// The arrows go through the list while the cursor stays in the field.
bool MachinePopup::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key != Qt::Key_Up && key != Qt::Key_Down) return false;
    QCoreApplication::sendEvent(list_, event);
    return true;
}

}  // namespace stagecraft::views
