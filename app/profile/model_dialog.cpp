#include "app/profile/model_dialog.h"

#include "app/panels/parameter_form.h"
#include "app/panels/section.h"
#include "app/profile/dialog_parts.h"
#include "views/common/on_screen.h"

#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace stagecraft::app::profile {
namespace {

/// What was taken of the model and follows from it, in front of the sums.
QString summaryOf(const ImportedProfile& read) {
    QString text;
    for (const ImportNote& note : read.notes) {
        if (note.kind != ImportNote::Kind::took && note.kind != ImportNote::Kind::derived) continue;
        const QString line = QString::fromStdString(note.text);
        text +=
            "<p style='margin-bottom:8px'>" + (line.left(1).toUpper() + line.mid(1)).toHtmlEscaped() + "</p>";
    }
    return text + totalsText(read.profile);
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

ModelDialog::ModelDialog(ModelQuestions asked, const std::string& gpu, QWidget* parent)
    : QDialog(parent),
      questions_(std::move(asked)),
      form_(new ParameterForm(questions_.parameters)),
      totals_(readable(nullptr)),
      source_(readable("muted")),
      use_(new QPushButton(tr("Use this profile"))) {
    setWindowTitle(QString::fromStdString(questions_.title));
    setObjectName(QStringLiteral("modelDialog"));
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
    connect(form_, &ParameterForm::changed, this, &ModelDialog::ask);
    wait_.setSingleShot(true);
    wait_.setInterval(typingPauseMs);
    connect(&wait_, &QTimer::timeout, this, &ModelDialog::start);
    connect(&reading_, &Job::ended, this, [this](bool, const QString& failure) {
        use_->setEnabled(failure.isEmpty());
        if (!failure.isEmpty()) showProfile({}, failure.toHtmlEscaped());
    });
    placeOnScreen(*this, QSize(760, 480));
    ask();
}

void ModelDialog::ask() {
    use_->setEnabled(false);
    reading_.abandon();
    wait_.start();
}

void ModelDialog::start() {
    reading_.start([read = questions_.read, answers = form_->values()] { return read(answers); },
                   [this](const ImportedProfile& read) { showProfile(read, summaryOf(read)); });
}

void ModelDialog::showProfile(const ImportedProfile& read, const QString& totals) {
    imported_ = read;
    totals_->setText(totals);
    source_->setText(QString::fromStdString(imported_.profile.source).toHtmlEscaped());
}

}  // namespace stagecraft::app::profile
