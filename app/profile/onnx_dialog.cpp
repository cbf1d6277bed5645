#include "app/profile/onnx_dialog.h"

#include "app/panels/parameter_form.h"
#include "app/panels/section.h"
#include "app/profile/dialog_parts.h"
#include "core/onnx/onnx_profile.h"
#include "views/common/on_screen.h"

#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace stagecraft::app {
namespace {

constexpr int largest = 1 << 24;

/// A dimension starts at 0, which is none: it has to be given.
std::vector<Parameter> questionsAbout(const std::vector<OpenDimension>& open) {
    std::vector<std::string> gpus;
    for (const Gpu& gpu : gpuCatalogue()) gpus.push_back(gpu.name);
    std::vector<Parameter> questions = {
        {"gpu", "GPU", "for which times are worked out", std::string("V100-SXM2-16GB"), 0, 0, gpus},
        {"precision", "Precision", "of products, convolutions and what is stored",
         std::string(nameOf(precisionNames, Precision::fp32)), 0, 0, allNames(precisionNames)}};
    for (const OpenDimension& dimension : open) {
        const std::string label =
            dimension.isBatch ? "Samples in a microbatch (" + dimension.name + ")" : dimension.name;
        questions.push_back({dimension.name, label, dimension.where + ", which the model leaves open",
                             dimension.isBatch ? 1 : 0, 0, largest});
    }
    return questions;
}

OnnxOptions optionsOf(const ParameterValues& answers, const std::vector<OpenDimension>& open) {
    OnnxOptions options;
    options.gpu = *findGpu(std::get<std::string>(answers.at("gpu")));
    options.analytic.precision = *findByName(precisionNames, std::get<std::string>(answers.at("precision")));
    options.analytic.microbatchSize = 0;
    for (const OpenDimension& dimension : open)
        if (const int size = std::get<int>(answers.at(dimension.name)); size > 0) {
            options.dimensions[dimension.name] = size;
            if (dimension.isBatch) options.analytic.microbatchSize = size;
        }
    return options;
}

QLabel* readable(const char* role) {
    auto* label = new QLabel;
    label->setWordWrap(true);
    label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    if (role) label->setProperty("role", role);
    return label;
}

}  // namespace

OnnxDialog::OnnxDialog(OpenedOnnx model, std::string file, const std::string& gpu, QWidget* parent)
    : QDialog(parent),
      model_(std::move(model)),
      file_(std::move(file)),
      form_(new ParameterForm(questionsAbout(model_.open))),
      totals_(readable(nullptr)),
      source_(readable("muted")),
      use_(new QPushButton(tr("Use this profile"))) {
    setWindowTitle(tr("ONNX model"));
    setObjectName(QStringLiteral("onnxDialog"));
    totals_->setObjectName(QStringLiteral("totals"));
    if (!gpu.empty()) form_->setValue("gpu", gpu);
    auto* questions = new QScrollArea;
    questions->setWidgetResizable(true);
    questions->setFrameShape(QFrame::NoFrame);
    questions->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* top = new QWidget;
    auto* column = new QVBoxLayout(top);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(new Section(tr("What the model does not say"), form_));
    column->addStretch();
    questions->setWidget(top);
    auto* assumed = new QScrollArea;
    assumed->setWidgetResizable(true);
    assumed->setFrameShape(QFrame::NoFrame);
    assumed->setWidget(source_);
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(8, 8, 16, 16);
    grid->addWidget(questions, 0, 0, 2, 1);
    grid->addWidget(new Section(tr("Result"), totals_), 0, 1);
    grid->addWidget(new Section(tr("Assumptions"), assumed), 1, 1);
    grid->setColumnStretch(0, 2);
    grid->setColumnStretch(1, 3);
    grid->setRowStretch(1, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    use_->setProperty("primary", true);
    use_->setObjectName(QStringLiteral("useProfile"));
    buttons->addButton(use_, QDialogButtonBox::ActionRole);
    grid->addWidget(buttons, 2, 0, 1, 2);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(use_, &QPushButton::clicked, this, [this] {
        emit imported(imported_);
        accept();
    });
    connect(form_, &ParameterForm::changed, this, &OnnxDialog::ask);
    wait_.setSingleShot(true);
    wait_.setInterval(typingPauseMs);
    connect(&wait_, &QTimer::timeout, this, &OnnxDialog::start);
    connect(&reading_, &Job::ended, this, [this](bool, const QString& failure) {
        use_->setEnabled(failure.isEmpty());
        if (!failure.isEmpty()) showProfile({}, failure.toHtmlEscaped());
    });
    placeOnScreen(*this, QSize(760, 480));
    ask();
}

void OnnxDialog::ask() {
    use_->setEnabled(false);
    reading_.abandon();
    wait_.start();
}

void OnnxDialog::start() {
    const OnnxOptions options = optionsOf(form_->values(), model_.open);
    reading_.start([bytes = model_.bytes, file = file_, options] { return readOnnx(*bytes, file, options); },
                   [this](const ImportedProfile& read) { showProfile(read, totalsText(read.profile)); });
}

void OnnxDialog::showProfile(const ImportedProfile& read, const QString& totals) {
    imported_ = read;
    totals_->setText(totals);
    source_->setText(QString::fromStdString(imported_.profile.source).toHtmlEscaped());
}

}  // namespace stagecraft::app
