#include "views/profile/size_bar.h"

#include "core/model/indivisible.h"
#include "core/model/profile_sizes.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include <algorithm>
#include <initializer_list>

namespace stagecraft::views::profile {

namespace {

QString nameOfGroup(const Group& group) {
    if (group.tensor == 1) return QStringLiteral("one GPU");
    return QString("each of %1 GPUs%2").arg(group.tensor).arg(group.sequenceParallel ? ", SP" : "");
}

}  // namespace

SizeBar::SizeBar(QWidget* parent)
    : QWidget(parent),
      groupsLabel_(new QLabel("On")),
      groups_(new QComboBox),
      sizesLabel_(new QLabel("Microbatch size")),
      sizes_(new QComboBox),
      state_(new QLabel),
      adopt_(new QPushButton) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    groups_->setObjectName(QStringLiteral("measuredGroups"));
    groups_->setToolTip(
        "Tensor-parallel GPUs on which layers were measured: what one of them takes and keeps is "
        "shown. SP: with sequence parallelism");
    sizes_->setObjectName(QStringLiteral("microbatchSizes"));
    sizes_->setToolTip("The sizes at which times were measured. Between them times are interpolated.");
    adopt_->setObjectName(QStringLiteral("adoptSize"));
    adopt_->setToolTip("Make this the profile's own size: plans are then made for it");
    state_->setProperty("role", "muted");
    for (QWidget* part :
         std::initializer_list<QWidget*>{groupsLabel_, groups_, sizesLabel_, sizes_, state_, adopt_})
        row->addWidget(part);
    connect(sizes_, &QComboBox::activated, this, [this] {
        shown_ = sizes_->currentData().toInt();
        showState();
        emit sizeChosen(shown_);
    });
    connect(groups_, &QComboBox::activated, this, [this](int index) {
        group_ = choices_[static_cast<std::size_t>(index)];
        showState();
        emit groupChosen();
    });
    connect(adopt_, &QPushButton::clicked, this, [this] { emit adoptRequested(shown_); });
}

void SizeBar::setProfile(const LayerProfile& profile) {
    fillSizes(profile);
    fillGroups(profile);
    setVisible(sizes_->count() > 1 || groups_->count() > 1);
    showState();
}

void SizeBar::fillSizes(const LayerProfile& profile) {
    const std::vector<int> measured = measuredSizes(profile);
    const bool isOwn = shown_ == own_;
    own_ = profile.microbatchSize;
    if (isOwn || std::find(measured.begin(), measured.end(), shown_) == measured.end()) shown_ = own_;
    sizes_->clear();
    for (const int size : measured) sizes_->addItem(QString::number(size), size);
    sizes_->setCurrentIndex(sizes_->findData(shown_));
    for (QWidget* part : std::initializer_list<QWidget*>{sizesLabel_, sizes_})
        part->setVisible(measured.size() > 1);
}

void SizeBar::fillGroups(const LayerProfile& profile) {
    choices_ = measuredGroups(profile);
    choices_.insert(choices_.begin(), Group{});
    if (std::find(choices_.begin(), choices_.end(), group_) == choices_.end()) group_ = {};
    groups_->clear();
    for (const Group& group : choices_) groups_->addItem(nameOfGroup(group));
    groups_->setCurrentIndex(
        static_cast<int>(std::find(choices_.begin(), choices_.end(), group_) - choices_.begin()));
    for (QWidget* part : std::initializer_list<QWidget*>{groupsLabel_, groups_})
        part->setVisible(choices_.size() > 1);
}

void SizeBar::showState() {
    const bool isOwn = shown_ == own_, isWhole = !group_.dividesLayers();
    const bool hasGroups = groups_->count() > 1;
    state_->setText(hasGroups ? QString("to look at")
                    : isOwn   ? QString("used for plans")
                              : QString("to look at; plans use %1").arg(own_));
    // Two things to choose, a word and a button would not fit next to each other in a small window.
    state_->setVisible(!hasGroups || (isOwn && !isWhole));
    adopt_->setText(QString("Use %1").arg(shown_));
    adopt_->setVisible(!isOwn);
}

}  // namespace stagecraft::views::profile
