#include "app/panels/recovery_list.h"

#include "core/formats/files/project_file.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"

#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app::panels {
namespace {

constexpr int rowsSeen = 5;
constexpr int sideMargin = 16, spacing = 8;

/// As high as its rows, up to a few of them; the others are scrolled to.
class Rows : public QScrollArea {
public:
    explicit Rows(QWidget* rows) {
        setWidget(rows);
        setWidgetResizable(true);
        setFrameShape(QFrame::NoFrame);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
        viewport()->setAutoFillBackground(false);
        rows->setAutoFillBackground(false);
    }
    QSize sizeHint() const override {
        const QLayout& layout = *widget()->layout();
        int height = 0, shown = 0;
        for (int i = 0; i < layout.count() && shown < rowsSeen; ++i)
            if (const QWidget* row = layout.itemAt(i)->widget(); row && !row->isHidden()) {
                height += row->sizeHint().height() + (shown > 0 ? layout.spacing() : 0);
                ++shown;
            }
        return {0, height};
    }
};

QString fileText(const RecoverableWork& work) {
    return work.projectPath.isEmpty() ? RecoveryList::tr("never saved")
                                      : QFileInfo(work.projectPath).fileName();
}

}  // namespace

RecoveryList::RecoveryList(QList<RecoverableWork> found, QWidget* parent)
    : QFrame(parent), heading_(new QLabel), discardAll_(new QPushButton) {
    setObjectName(QStringLiteral("recoveryBar"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::AlternateBase);
    std::stable_sort(found.begin(), found.end(), [](const RecoverableWork& a, const RecoverableWork& b) {
        return a.written > b.written;
    });
    auto* rows = new QWidget;
    auto* list = new QVBoxLayout(rows);
    list->setContentsMargins(0, 0, 0, 0);
    list->setSpacing(4);
    for (const RecoverableWork& work : found) addRow(work, *list);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(sideMargin, spacing, sideMargin, spacing);
    column->setSpacing(spacing);
    column->addWidget(makeHead());
    list_ = new Rows(rows);
    column->addWidget(list_);
    showCount();
    readNames();
}

QWidget* RecoveryList::makeHead() {
    auto* head = new QWidget;
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing);
    auto* picture = new QLabel;
    picture->setPixmap(lineIcon(QStringLiteral("recover")).pixmap(QSize(16, 16), devicePixelRatioF()));
    discardAll_->setObjectName(QStringLiteral("discardAll"));
    connect(discardAll_, &QPushButton::clicked, this, &RecoveryList::discardAll);
    auto* later = new QPushButton(tr("Later"));
    later->setObjectName(QStringLiteral("Later"));
    later->setToolTip(tr("Keeps all of it, to be offered again at the next start"));
    connect(later, &QPushButton::clicked, this, &RecoveryList::postponed);
    row->addWidget(picture);
    row->addWidget(heading_, 1);
    row->addWidget(discardAll_);
    row->addWidget(later);
    return head;
}

void RecoveryList::addRow(const RecoverableWork& work, QVBoxLayout& column) {
    auto* widget = new QWidget;
    widget->setObjectName(QStringLiteral("recoverable"));
    widget->setToolTip(QDir::toNativeSeparators(work.projectPath));
    auto* row = new QHBoxLayout(widget);
    row->setContentsMargins(16 + spacing, 0, 0, 0);
    row->setSpacing(spacing);
    auto* name = new ElidedLabel;
    name->setObjectName(QStringLiteral("recoverableName"));
    auto* when = new QLabel(QLocale::c().toString(work.written, QStringLiteral("yyyy-MM-dd HH:mm")));
    when->setObjectName(QStringLiteral("recoverableDate"));
    when->setProperty("role", "muted");
    row->addWidget(name, 1);
    row->addWidget(when);
    const auto addButton = [row](const QString& text, const QString& tip) {
        auto* button = new QPushButton(text);
        button->setObjectName(text);
        button->setToolTip(tip);
        row->addWidget(button);
        return button;
    };
    connect(addButton(tr("Recover"), tr("Opens it as it was; it counts as unsaved")), &QPushButton::clicked,
            this, [this, work] { emit recoveryWanted(work); });
    connect(addButton(tr("Discard"), tr("Deletes what was not saved; the project's file stays as it is")),
            &QPushButton::clicked, this, [this, file = work.file] { discard(file); });
    column.addWidget(widget);
    rows_.push_back({work, widget, name});
    showName(work.file, {});
}

/// A disk may take a while to answer.
void RecoveryList::readNames() {
    std::vector<QString> files;
    for (const Row& row : rows_) files.push_back(row.work.file);
    reading_.start([this, files](const JobContext& context) {
        for (const QString& file : files) {
            if (context.stop.stop_requested()) return;
            context.handOver([this, file, name = QString::fromStdString(nameOfProject(file.toStdString()))] {
                showName(file, name);
            });
        }
    });
}

void RecoveryList::showName(const QString& file, const QString& name) {
    for (const Row& row : rows_) {
        if (row.work.file != file) continue;
        const QString known = !name.isEmpty() ? name
                              : row.work.projectPath.isEmpty()
                                  ? tr("Untitled")
                                  : QFileInfo(row.work.projectPath).fileName().section('.', 0, 0);
        row.name->setWhole(QStringLiteral("%1 · %2").arg(known, fileText(row.work)));
    }
}

void RecoveryList::discard(const QString& file) {
    const auto row =
        std::find_if(rows_.begin(), rows_.end(), [&file](const Row& each) { return each.work.file == file; });
    if (row == rows_.end()) return;
    Recovery::discard(row->work);
    row->widget->hide();
    row->widget->deleteLater();
    rows_.erase(row);
    confirming_ = false;
    list_->updateGeometry();
    showCount();
}

/// Asked for twice: nothing brings it back.
void RecoveryList::discardAll() {
    if (!std::exchange(confirming_, true)) return showCount();
    while (!rows_.empty()) discard(rows_.back().work.file);
}

void RecoveryList::showCount() {
    const auto count = static_cast<long long>(rows_.size());
    heading_->setText(tr("<b>Unsaved work of %1 was found</b>").arg(countedText(count, "project")));
    discardAll_->setText(confirming_ ? tr("Discard all %1 for good").arg(count) : tr("Discard all"));
    discardAll_->setVisible(count > 1);
    if (count == 0) hide();
}

}  // namespace stagecraft::app::panels
