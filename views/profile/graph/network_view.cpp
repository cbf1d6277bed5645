#include "views/profile/graph/network_view.h"

#include "views/common/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace stagecraft::views::profile {

NetworkView::NetworkView(QWidget* parent)
    : QWidget(parent), canvas_(new NetworkCanvas), status_(new QLabel), button_(new QPushButton) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(canvas_, 1);
    auto* line = new QHBoxLayout;
    line->setContentsMargins(16, 2, 16, 2);
    line->setSpacing(8);
    status_->setProperty("role", "muted");
    status_->setObjectName(QStringLiteral("layoutStatus"));
    status_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    button_->setProperty("quiet", true);
    button_->setObjectName(QStringLiteral("layoutButton"));
    auto* fit = new QToolButton;
    fit->setIcon(lineIcon(QStringLiteral("fit")));
    fit->setToolTip("Show all (F)");
    line->addWidget(status_, 1);
    line->addWidget(button_);
    line->addWidget(fit);
    column->addLayout(line);
    connect(fit, &QToolButton::clicked, canvas_, &NetworkCanvas::fit);
    connect(button_, &QPushButton::clicked, this, [this] {
        if (!graphviz_.isRunning()) return askGraphviz();
        graphviz_.cancel();
        say("Simple layout", "Lay out with Graphviz");
    });
    connect(&graphviz_, &Graphviz::laidOut, this, [this](const NetworkLayout& layout) {
        canvas_->setPositions(layout);
        say("Laid out by Graphviz", {});
    });
    connect(&graphviz_, &Graphviz::failed, this,
            [this](const QString& reason) { say("Simple layout: " + reason, {}); });
}

QString NetworkView::status() const { return status_->text(); }

void NetworkView::setProfile(const LayerProfile& profile) {
    profile_ = profile;
    stale_ = true;
    if (isVisible()) layOut();
}

void NetworkView::selectLayer(int layer) {
    selected_ = layer;
    if (!stale_) canvas_->selectLayer(layer);
}

void NetworkView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (stale_) layOut();
}

void NetworkView::layOut() {
    stale_ = false;
    const NetworkOutline outline = outlineOf(profile_);
    if (outline == outline_) {  // numbers alone are others
        canvas_->setNumbers(profile_);
        canvas_->selectLayer(selected_);
        return;
    }
    outline_ = outline;
    canvas_->setProfile(profile_, outline_, layeredLayout(outline_));
    canvas_->selectLayer(selected_);
    graphviz_.cancel();
    if (outline_.nodes > mostForGraphviz)
        say(QString("Simple layout: with %1 nodes Graphviz would take long").arg(outline_.nodes),
            "Lay out with Graphviz all the same");
    else
        askGraphviz();
}

void NetworkView::askGraphviz() {
    say("Simple layout; Graphviz is at work on a better one…", "Cancel");
    graphviz_.start(outline_);
}

void NetworkView::say(const QString& status, const QString& button) {
    status_->setText(status);
    status_->setToolTip(status);
    button_->setText(button);
    button_->setVisible(!button.isEmpty());
}

}  // namespace stagecraft::views::profile
