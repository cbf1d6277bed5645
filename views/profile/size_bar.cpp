#include "views/profile/size_bar.h"

#include "core/cost/divided_profile.h"
#include "core/model/indivisible.h"
#include "core/model/measured_gpus.h"
#include "core/model/profile_sizes.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include <algorithm>
#include <initializer_list>

namespace stagecraft::views::profile {

QString SizeBar::nameOf(const On& on) {
    const QString gpu = QString::fromStdString(on.gpu);
    if (on.group.tensor == 1) return gpu.isEmpty() ? QStringLiteral("one GPU") : gpu;
    return QString("each of %1 %2%3")
        .arg(on.group.tensor)
        .arg(gpu.isEmpty() ? QStringLiteral("GPUs") : gpu, on.group.sequenceParallel ? ", SP" : "");
}

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
        "Tensor-parallel GPUs and other types of GPUs on which layers were measured: what one of them takes "
        "and keeps is shown. SP: with sequence parallelism");
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
        shownOn_ = choices_[static_cast<std::size_t>(index)];
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
    std::vector<std::string> gpus = measuredGpus(profile);
    gpus.insert(gpus.begin(), std::string());
    std::vector<Group> groups = measuredGroups(profile);
    groups.insert(groups.begin(), Group{});
    choices_.clear();
    for (const std::string& gpu : gpus)
        for (const Group& group : groups)
            if (gpu.empty() || !group.dividesLayers() || isMeasuredOn(profile, gpu, group))
                choices_.push_back({gpu, group});
    if (std::find(choices_.begin(), choices_.end(), shownOn_) == choices_.end()) shownOn_ = {};
    groups_->clear();
    for (const On& on : choices_) groups_->addItem(nameOf(on));
    groups_->setCurrentIndex(
        static_cast<int>(std::find(choices_.begin(), choices_.end(), shownOn_) - choices_.begin()));
    for (QWidget* part : std::initializer_list<QWidget*>{groupsLabel_, groups_})
        part->setVisible(choices_.size() > 1);
}

LayerProfile SizeBar::shownOf(const LayerProfile& profile) const {
    const LayerProfile atSize = profileAtSize(profile, shown_);
    return dividedProfile(shownOn_.gpu.empty() ? atSize : profileOn(atSize, shownOn_.gpu), shownOn_.group);
}

void SizeBar::showState() {
    const bool isOwn = shown_ == own_, isWhole = showsOwn();
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
