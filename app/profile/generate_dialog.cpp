#include "app/profile/generate_dialog.h"

#include "app/panels/parameter_form.h"
#include "app/profile/dialog_parts.h"
#include "core/editing/choice_label.h"
#include "core/formats/profiles/efficiency_file.h"
#include "core/generation/generated_profile.h"
#include "views/common/list_filter.h"
#include "views/common/on_screen.h"
#include "views/common/widgets.h"

#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <utility>

namespace stagecraft::app::profile {
namespace {

const std::string gpuParameter = "gpu";

}  // namespace

GenerateDialog::GenerateDialog(QWidget* parent)
    : QDialog(parent),
      models_(new QListWidget),
      summary_(new QLabel),
      scroll_(new QScrollArea),
      totals_(new QLabel),
      source_(new QLabel),
      use_(new QPushButton(tr("Use this profile"))) {
    setWindowTitle(tr("Generate profile"));
    setObjectName(QStringLiteral("generateDialog"));
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(16, 16, 16, 16);
    grid->setHorizontalSpacing(16);
    grid->setVerticalSpacing(8);
    grid->addWidget(makeModels(), 0, 0);
    grid->addWidget(makeForm(), 0, 1);
    grid->addWidget(makeResult(), 0, 2);
    grid->setColumnStretch(0, 2);
    grid->setColumnStretch(1, 3);
    grid->setColumnStretch(2, 3);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    use_->setProperty("primary", true);
    use_->setDefault(true);
    use_->setObjectName(QStringLiteral("useProfile"));
    buttons->addButton(use_, QDialogButtonBox::ActionRole);
    grid->addWidget(buttons, 1, 0, 1, 3);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(use_, &QPushButton::clicked, this, [this] { emit generated(profile_); });
    wait_.setSingleShot(true);
    wait_.setInterval(typingPauseMs);
    connect(&wait_, &QTimer::timeout, this, &GenerateDialog::start);
    connect(&making_, &Job::ended, this, [this](bool, const QString& failure) {
        ready_ = failure.isEmpty();
        use_->setEnabled(ready_);
        if (!ready_) showProfile({}, failure.toHtmlEscaped());
        if (std::exchange(wanted_, false) && ready_) emit generated(profile_);
    });
    connect(models_, &QListWidget::currentRowChanged, this, &GenerateDialog::showModel);
    models_->setCurrentRow(0);
    placeOnScreen(*this, QSize(900, 560));
}

void GenerateDialog::showEvent(QShowEvent* event) {
    QDialog::showEvent(event);
    models_->doItemsLayout();  // rows laid out before the style sheet came are too low
}

QWidget* GenerateDialog::makeModels() {
    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    auto* find = new QLineEdit;
    find->setPlaceholderText(tr("Find a model"));
    find->setClearButtonEnabled(true);
    find->setObjectName(QStringLiteral("findModel"));
    models_->setObjectName(QStringLiteral("models"));
    for (const ModelDescription& model : modelZoo()) {
        const std::string title = model.title.empty() ? choiceLabel(model.name) : model.title;
        auto* item = new QListWidgetItem(QString::fromStdString(title), models_);
        item->setData(Qt::UserRole, QString::fromStdString(model.name));
        item->setToolTip(QString::fromStdString(model.name + ": " + model.summary));
    }
    column->addWidget(newLine(tr("Model"), "heading"));
    column->addWidget(find);
    column->addWidget(models_, 1);
    new ListFilter(*find, *models_);
    // The button takes the key once there is a profile; until then it is remembered.
    connect(find, &QLineEdit::returnPressed, this,
            [this] { wanted_ = !ready_ && models_->currentRow() >= 0; });
    return side;
}

QWidget* GenerateDialog::makeForm() {
    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    summary_->setWordWrap(true);
    summary_->setProperty("role", "muted");
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    column->addWidget(newLine(tr("Parameters"), "heading"));
    column->addWidget(summary_);
    column->addWidget(scroll_, 1);
    return side;
}

QWidget* GenerateDialog::makeResult() {
    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    totals_->setObjectName(QStringLiteral("totals"));
    totals_->setWordWrap(true);
    totals_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    source_->setWordWrap(true);
    source_->setProperty("role", "muted");
    source_->setTextFormat(Qt::PlainText);
    source_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    source_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(source_);
    column->addWidget(newLine(tr("Result"), "heading"));
    column->addWidget(totals_);
    column->addWidget(newLine(tr("Assumptions"), "heading"));
    column->addWidget(scroll, 1);
    return side;
}

void GenerateDialog::chooseModel(const QString& name) {
    for (int row = 0; row < models_->count(); ++row)
        if (models_->item(row)->data(Qt::UserRole).toString() == name) models_->setCurrentRow(row);
}

void GenerateDialog::proposeGpu(const std::string& name) {
    if (name.empty() || name == std::exchange(proposedGpu_, name) || !form_) return;
    form_->setValue(gpuParameter, name);
    ask();
}

void GenerateDialog::showModel() {
    const int row = models_->currentRow();
    if (row < 0) return showNothing();
    const ModelDescription& model = modelZoo()[static_cast<std::size_t>(row)];
    summary_->setText(QString::fromStdString(model.summary));
    // What two models share, GPU and sizes above all, stays as it was set.
    const ParameterValues before = form_ ? form_->values() : ParameterValues{};
    const std::vector<Parameter> parameters = profileParameters(model.name);
    ParameterValues kept;
    for (std::size_t i = model.parameters.size(); i < parameters.size(); ++i) {
        const auto value = before.find(parameters[i].name);
        // What nobody chose is each model's own: a GPU of today for models of today.
        if (value != before.end() && value->second != defaults_[value->first]) kept.insert(*value);
    }
    defaults_ = defaultValues(parameters);
    form_ = new ParameterForm(parameters, kept);
    scroll_->setWidget(form_);
    connect(form_, &ParameterForm::changed, this, &GenerateDialog::ask);
    ask();
}

/// No model is called what is typed.
void GenerateDialog::showNothing() {
    ask();
    wait_.stop();
    summary_->setText(tr("No model has this in its name or description."));
    if (form_) form_->setEnabled(false);
    showProfile({}, {});
}

void GenerateDialog::ask() {
    ready_ = wanted_ = false;
    use_->setEnabled(false);
    making_.abandon();
    wait_.start();
}

void GenerateDialog::start() {
    if (models_->currentRow() < 0) return;
    const std::string model = modelZoo()[static_cast<std::size_t>(models_->currentRow())].name;
    making_.start(
        [model, values = form_->values()] { return generatedProfile(model, values, readEfficiencyFile); },
        [this](const LayerProfile& profile) { showProfile(profile, totalsText(profile)); });
}

void GenerateDialog::showProfile(const LayerProfile& profile, const QString& totals) {
    profile_ = profile;
    totals_->setText(totals);
    source_->setText(QString::fromStdString(profile_.source));
}

QString GenerateDialog::totals() const { return totals_->text(); }

}  // namespace stagecraft::app::profile
