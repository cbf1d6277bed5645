#include "app/shell/reading_progress.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

namespace stagecraft::app::shell {

ReadingProgress::ReadingProgress(QWidget* parent)
    : QWidget(parent), name_(new QLabel), bar_(new QProgressBar) {
    setObjectName(QStringLiteral("readingProgress"));
    bar_->setRange(0, 100);
    bar_->setTextVisible(false);
    bar_->setFixedWidth(120);
    auto* cancel = new QPushButton(tr("Cancel"));
    cancel->setObjectName(QStringLiteral("cancelReading"));
    cancel->setProperty("quiet", true);
    connect(cancel, &QPushButton::clicked, this, &ReadingProgress::cancelWanted);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(name_);
    row->addWidget(bar_);
    row->addWidget(cancel);
    hide();
}

void ReadingProgress::show(const QString& path, double fraction) {
    name_->setText(tr("Reading %1").arg(QFileInfo(path).fileName()));
    bar_->setValue(qRound(100 * fraction));
    QWidget::show();
}

void ReadingProgress::end() { hide(); }

}  // namespace stagecraft::app::shell
