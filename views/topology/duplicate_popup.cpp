#include "views/topology/duplicate_popup.h"

#include "views/common/on_screen.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QSpinBox>

namespace stagecraft::views::topology {
namespace {

constexpr int mostCopies = 1023;

}  // namespace

DuplicatePopup::DuplicatePopup(const QString& what, QWidget* parent)
    : QFrame(parent, Qt::Popup), times_(new QSpinBox) {
    setObjectName(QStringLiteral("duplicatePopup"));
    setAttribute(Qt::WA_DeleteOnClose);
    setFrameShape(QFrame::StyledPanel);
    times_->setObjectName(QStringLiteral("duplicateTimes"));
    times_->setRange(1, mostCopies);
    times_->setValue(3);
    auto* button = new QPushButton(tr("Duplicate"));
    button->setObjectName(QStringLiteral("duplicateNow"));
    button->setProperty("primary", true);
    connect(button, &QPushButton::clicked, this, &DuplicatePopup::accept);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 8, 8, 8);
    row->addWidget(new QLabel(tr("Copies of %1").arg(what)));
    row->addWidget(times_);
    row->addWidget(button);
}

void DuplicatePopup::showAt(const QPoint& globalPosition) {
    adjustSize();
    move(within({globalPosition, size()}, screen()->availableGeometry()).topLeft());
    show();
    times_->setFocus();
    times_->selectAll();
}

void DuplicatePopup::accept() {
    times_->interpretText();
    const int times = times_->value();
    close();
    emit accepted(times);
}

void DuplicatePopup::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return accept();
    QFrame::keyPressEvent(event);
}

}  // namespace stagecraft::views::topology
