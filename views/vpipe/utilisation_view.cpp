#include "views/vpipe/utilisation_view.h"

#include "views/common/theme.h"
#include "views/vpipe/drawing_canvas.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace stagecraft::views::vpipe {

UtilisationView::UtilisationView(QWidget* parent)
    : QWidget(parent),
      subject_(new QComboBox),
      status_(new QLabel),
      export_(new QToolButton),
      canvas_(new DrawingCanvas(tr("Utilisation of the GPUs"))) {
    subject_->setObjectName(QStringLiteral("utilisationSubject"));
    subject_->addItems({tr("With and without vPipe"), tr("Plans of the project")});
    canvas_->setObjectName(QStringLiteral("utilisationChart"));
    export_->setObjectName(QStringLiteral("exportUtilisation"));
    export_->setText(tr("Export…"));
    export_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    export_->setIcon(lineIcon(QStringLiteral("export")));
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(12, 8, 12, 8);
    bar->addWidget(subject_);
    bar->addSpacing(8);
    bar->addWidget(status_, 1);
    bar->addWidget(export_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(canvas_->inScrollArea(), 1);
    connect(subject_, &QComboBox::currentIndexChanged, this, &UtilisationView::subjectChanged);
    connect(export_, &QToolButton::clicked, this, &UtilisationView::exportRequested);
    setRows({});
}

void UtilisationView::setRows(std::vector<UtilisationRow> rows, const QString& hint) {
    rows_ = std::move(rows);
    export_->setEnabled(!rows_.empty());
    if (rows_.empty())
        canvas_->setDraw({}, hint);
    else
        canvas_->setDraw([this](const DrawingLook& look) { return drawUtilisation(rows_, look); });
}

UtilisationView::Subject UtilisationView::subject() const {
    return static_cast<Subject>(subject_->currentIndex());
}

void UtilisationView::setStatus(const QString& text) { status_->setText(text); }

void UtilisationView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) export_->setIcon(lineIcon(QStringLiteral("export")));
    QWidget::changeEvent(event);
}

}  // namespace stagecraft::views::vpipe
