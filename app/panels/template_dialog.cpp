#include "app/panels/template_dialog.h"

#include "app/panels/parameter_form.h"
#include "views/common/list_filter.h"
#include "views/common/on_screen.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"
#include "views/topology/topology_painter.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app::panels {

namespace {

constexpr QSize pictureSize(72, 48);

/// A cluster as the canvas draws it, fitted into the room.
void paintFitted(QPainter& painter, const TopologyScene& scene, const QRectF& room, double margin,
                 const QFont& font) {
    constexpr double mostScale = 1;
    Viewport viewport;
    QRectF all = scene.layout().bounds;
    for (const LinkBundle& bundle : scene.links().bundles) all |= bundle.route.boundingRect();
    viewport.fit(all, room.adjusted(margin, margin, -margin, -margin), mostScale);
    TopologyPainter scenePainter(painter, scene, viewport, room, font);
    scenePainter.paintBackground();
    scenePainter.paintForeground({});
}

/// In the colours of the theme. Drawn larger and reduced, since names stay as large as letters are.
QPixmap pictureOf(const TopologyScene& scene, double pixelRatio, const QFont& font) {
    constexpr double reduced = 3, margin = 6;
    const QSizeF size = QSizeF(pictureSize) * pixelRatio;
    QPixmap picture((size * reduced).toSize());
    picture.fill(Theme::current().window);
    QPainter painter(&picture);
    paintFitted(painter, scene, QRectF(picture.rect()), margin, font);
    painter.end();
    QPixmap small = picture.scaled(size.toSize(), Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    small.setDevicePixelRatio(pixelRatio);
    return small;
}

}  // namespace

class ClusterPreview : public QWidget {
public:
    ClusterPreview() {
        setMinimumSize(280, 200);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    }
    void setCluster(const std::optional<Cluster>& cluster) {
        // Beyond this a picture of the size of a hand says nothing, and laying it out takes its time.
        constexpr int mostShown = 4096;
        const bool shown = cluster && cluster->deviceCount() <= mostShown;
        scene_ = shown ? TopologyScene(*cluster, nullptr) : TopologyScene();
        note_ = cluster && !shown ? tr("Too large for a preview") : QString();
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.fillRect(rect(), Theme::current().window);
        painter.setPen(Theme::current().mutedText);
        if (scene_.isEmpty()) {
            painter.drawText(rect(), Qt::AlignCenter, note_);
            return;
        }
        constexpr double margin = 8;
        paintFitted(painter, scene_, QRectF(rect()), margin, font());
    }

private:
    TopologyScene scene_;
    QString note_;
};

TemplateDialog::TemplateDialog(QWidget* parent)
    : QDialog(parent),
      list_(new QListWidget),
      description_(new QLabel),
      forms_(new QStackedWidget),
      preview_(new ClusterPreview),
      summary_(new QLabel) {
    setObjectName(QStringLiteral("templateDialog"));
    setWindowTitle(tr("Insert from template"));
    list_->setObjectName(QStringLiteral("templates"));
    list_->setFixedWidth(240);
    list_->setWordWrap(true);
    list_->setFrameShape(QFrame::NoFrame);
    description_->setWordWrap(true);
    description_->setProperty("role", "muted");
    description_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    description_->setMinimumHeight(3 * description_->fontMetrics().lineSpacing());
    summary_->setObjectName(QStringLiteral("summary"));
    summary_->setWordWrap(true);
    addTemplates();
    auto* picture = new QVBoxLayout;
    picture->addWidget(description_);
    picture->addWidget(preview_, 1);
    picture->addWidget(summary_);
    auto* row = new QHBoxLayout;
    row->setSpacing(16);
    row->addLayout(makeChoice());
    row->addWidget(forms_);
    row->addLayout(picture, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(16);
    column->addLayout(row, 1);
    column->addWidget(makeButtons());
    placeOnScreen(*this, QSize(1000, 600));

    connect(list_, &QListWidget::currentRowChanged, this, [this](int index) {
        if (index < 0) return makeNothing();
        showForm(index);
        description_->setText(QString::fromStdString(chosen().description));
        make();
    });
    connect(list_, &QListWidget::itemActivated, this, [this] { insert_->click(); });
    list_->setCurrentRow(0);
    drawPictures();
}

QLayout* TemplateDialog::makeChoice() {
    auto* filter = new QLineEdit;
    filter->setObjectName(QStringLiteral("findTemplate"));
    filter->setPlaceholderText(tr("Find a machine, a GPU or a network"));
    filter->setFixedWidth(240);
    filter->setClearButtonEnabled(true);
    new ListFilter(*filter, *list_);
    auto* column = new QVBoxLayout;
    column->setSpacing(8);
    column->addWidget(filter);
    column->addWidget(list_, 1);
    filter->setFocus();
    return column;
}

void TemplateDialog::drawPictures() {
    drawing_.start([this](const JobContext& context) {
        const auto& all = clusterTemplates();
        for (std::size_t index = 0; index < all.size() && !context.stop.stop_requested(); ++index) {
            std::shared_ptr<const TopologyScene> scene;
            try {
                const Cluster cluster = all[index].make(defaultValues(all[index].parameters));
                scene = std::make_shared<const TopologyScene>(cluster, nullptr);
            } catch (const std::invalid_argument&) {
                continue;  // its numbers do not go together as they are
            }
            context.handOver([this, index, scene] {
                list_->item(static_cast<int>(index))->setIcon(pictureOf(*scene, devicePixelRatioF(), font()));
            });
        }
    });
}

void TemplateDialog::addTemplates() {
    // The room of the pictures is there before they are.
    QPixmap empty(pictureSize);
    empty.fill(Qt::transparent);
    list_->setIconSize(pictureSize);
    for (const ClusterTemplate& each : clusterTemplates()) {
        auto* item = new QListWidgetItem(QString::fromStdString(each.title), list_);
        item->setToolTip(QString::fromStdString(each.description));
        item->setIcon(empty);
    }
    formOf_.resize(clusterTemplates().size());
    forms_->setFixedWidth(232);
}

/// Made when it is first shown: there are many templates, and one of them is chosen.
void TemplateDialog::showForm(int index) {
    ParameterForm*& form = formOf_[static_cast<std::size_t>(index)];
    if (!form) {
        auto* scroll = new QScrollArea(forms_);
        scroll->setWidgetResizable(true);
        scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        form = new ParameterForm(clusterTemplates()[static_cast<std::size_t>(index)].parameters,
                                 scroll->viewport());
        form->setContentsMargins(0, 0, 8, 0);
        connect(form, &ParameterForm::changed, this, &TemplateDialog::make);
        scroll->setWidget(form);
        forms_->addWidget(scroll);
    }
    forms_->setCurrentWidget(form->parentWidget()->parentWidget());
}

QWidget* TemplateDialog::makeButtons() {
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    insert_ = buttons->button(QDialogButtonBox::Ok);
    insert_->setText(tr("Insert"));
    insert_->setProperty("primary", true);
    insert_->setObjectName(QStringLiteral("insert"));
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    return buttons;
}

const ClusterTemplate& TemplateDialog::chosen() const {
    return clusterTemplates()[static_cast<std::size_t>(std::max(0, list_->currentRow()))];
}

void TemplateDialog::choose(const std::string& id) {
    const auto& all = clusterTemplates();
    for (std::size_t index = 0; index < all.size(); ++index)
        if (all[index].id == id) list_->setCurrentRow(static_cast<int>(index));
}

/// Nothing of the list is shown, and so nothing is chosen.
void TemplateDialog::makeNothing() {
    cluster_.reset();
    preview_->setCluster(cluster_);
    description_->clear();
    summary_->setText(tr("No template is called that"));
    setRole(*summary_, "");
    insert_->setEnabled(false);
}

void TemplateDialog::make() {
    if (list_->currentRow() < 0) return makeNothing();
    QString error;
    try {
        cluster_ = chosen().make(formOf_[static_cast<std::size_t>(list_->currentRow())]->values());
    } catch (const std::invalid_argument& problem) {
        cluster_.reset();
        error = QString::fromUtf8(problem.what());
        error[0] = error[0].toUpper();
    }
    preview_->setCluster(cluster_);
    summary_->setText(cluster_ ? summaryOf(*cluster_) : error);
    setRole(*summary_, cluster_ ? "" : "error");
    insert_->setEnabled(cluster_.has_value());
}

QString TemplateDialog::summaryOf(const Cluster& cluster) const {
    const auto sized = [](const auto& list) { return static_cast<long long>(list.size()); };
    return tr("%1 on %2, %3, %4")
        .arg(countedText(sized(cluster.devices), "GPU"), countedText(sized(cluster.servers()), "server"),
             countedText(sized(cluster.switches), "switch", "switches"),
             countedText(sized(cluster.links), "link"));
}

}  // namespace stagecraft::app::panels
