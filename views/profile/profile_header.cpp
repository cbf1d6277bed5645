#include "views/profile/profile_header.h"

#include "core/base/units.h"
#include "core/model/measured_gpus.h"
#include "views/common/text.h"

#include <QGridLayout>
#include <QLabel>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace stagecraft::views::profile {

namespace {

QString facts(const LayerProfile& profile) {
    double forward = 0;
    double backward = 0;
    double parameters = 0;
    for (const Layer& layer : profile.layers) {
        forward += layer.forwardS;
        backward += layer.backwardS;
        parameters += layer.parameterBytes;
    }
    const std::size_t nodes = profile.operators.nodes.size();
    const QString shape =
        !profile.isChain() ? QString("a graph, not a chain (edges: %1)").arg(profile.edges.size())
        : nodes > 0 ? "a chain, made of a graph of " + countedText(static_cast<long long>(nodes), "node")
                    : QStringLiteral("a chain");
    const auto qs = [](const std::string& text) { return QString::fromStdString(text); };
    QStringList all{countedText(profile.layerCount(), "layer"),
                    "forward " + qs(formatSeconds(forward)),
                    "backward " + qs(formatSeconds(backward)),
                    "parameters " + qs(formatBytes(parameters)),
                    "microbatch of " + countedText(profile.microbatchSize, "sample"),
                    shape};
    if (profile.elementBytes) all << countedText(*profile.elementBytes, "byte") + " per element";
    if (profile.causalSequence.value_or(false)) all << QStringLiteral("causal sequences");
    QStringList gpus;
    for (const std::string& gpu : measuredGpus(profile)) gpus << qs(gpu);
    if (!gpus.isEmpty()) all << "times on " + gpus.join(QStringLiteral(", ")) + " too";
    return all.join(QString::fromUtf8("  ·  "));
}

}  // namespace

ProfileHeader::ProfileHeader(QWidget* parent)
    : QWidget(parent),
      name_(new QLabel(this)),
      facts_(new QLabel(this)),
      source_(new QLabel(this)),
      more_(new QToolButton(this)) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(16, 10, 16, 8);
    grid->setVerticalSpacing(3);
    grid->addWidget(name_, 0, 0, 1, 2);
    grid->addWidget(facts_, 1, 0, 1, 2);
    grid->addWidget(source_, 2, 0);
    grid->addWidget(more_, 2, 1, Qt::AlignTop);
    grid->setColumnStretch(0, 1);
    for (QLabel* label : {name_, facts_, source_}) {
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    facts_->setWordWrap(true);
    source_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    QFont large = name_->font();
    large.setPixelSize(17);
    large.setBold(true);
    name_->setFont(large);
    more_->setCheckable(true);
    more_->setAutoRaise(true);
    connect(more_, &QToolButton::toggled, this, &ProfileHeader::showSource);
    source_->setProperty("role", "muted");
}

void ProfileHeader::setProfile(const LayerProfile& profile) {
    name_->setText(profile.name.empty() ? "Unnamed profile" : QString::fromStdString(profile.name));
    facts_->setText(facts(profile));
    const QString source = QString::fromStdString(profile.source).simplified();
    if (std::exchange(sourceText_, source) != source) more_->setChecked(false);
    showSource();
}

bool ProfileHeader::sourceIsExpanded() const { return more_->isChecked(); }
void ProfileHeader::expandSource(bool expanded) { more_->setChecked(expanded); }

void ProfileHeader::showSource() {
    const QString whole = sourceText_.isEmpty() ? "Source not given" : "Source: " + sourceText_;
    const int available = width() - 32 - more_->sizeHint().width() - 12;
    const QString line = source_->fontMetrics().elidedText(whole, Qt::ElideRight, std::max(60, available));
    const bool expanded = more_->isChecked();
    more_->setVisible(expanded || line != whole);
    more_->setText(expanded ? "Less" : "More");
    source_->setWordWrap(expanded);
    source_->setText(expanded ? whole : line);
}

void ProfileHeader::resizeEvent(QResizeEvent*) { showSource(); }

}  // namespace stagecraft::views::profile
