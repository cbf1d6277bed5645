#include "views/profile/size_bar.h"

#include "core/model/profile_sizes.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include <algorithm>

namespace stagecraft::views::profile {

SizeBar::SizeBar(QWidget* parent)
    : QWidget(parent), sizes_(new QComboBox), state_(new QLabel), adopt_(new QPushButton) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    sizes_->setObjectName(QStringLiteral("microbatchSizes"));
    sizes_->setToolTip("The sizes at which times were measured. Between them times are interpolated.");
    adopt_->setObjectName(QStringLiteral("adoptSize"));
    adopt_->setToolTip("Make this the profile's own size: plans are then made for it");
    state_->setProperty("role", "muted");
    row->addWidget(new QLabel("Microbatch size"));
    row->addWidget(sizes_);
    row->addWidget(state_);
    row->addWidget(adopt_);
    connect(sizes_, &QComboBox::activated, this, [this] {
        shown_ = sizes_->currentData().toInt();
        showState();
        emit sizeChosen(shown_);
    });
    connect(adopt_, &QPushButton::clicked, this, [this] { emit adoptRequested(shown_); });
}

void SizeBar::setProfile(const LayerProfile& profile) {
    const std::vector<int> measured = measuredSizes(profile);
    const bool isOwn = shown_ == own_;
    own_ = profile.microbatchSize;
    if (isOwn || std::find(measured.begin(), measured.end(), shown_) == measured.end()) shown_ = own_;
    sizes_->clear();
    for (const int size : measured) sizes_->addItem(QString::number(size), size);
    sizes_->setCurrentIndex(sizes_->findData(shown_));
    setVisible(measured.size() > 1);
    showState();
}

void SizeBar::showState() {
    const bool isOwn = shown_ == own_;
    state_->setText(isOwn ? QString("used for plans") : QString("to look at; plans use %1").arg(own_));
    adopt_->setText(QString("Use %1").arg(shown_));
    adopt_->setVisible(!isOwn);
}

}  // namespace stagecraft::views::profile
