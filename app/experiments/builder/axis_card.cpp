#include "app/experiments/builder/axis_card.h"

#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

namespace stagecraft::app::experiments {

namespace {

using Form = AxisDraft::Form;
using Part = AxisMistake::Part;

constexpr int listPage = 0, rangePage = 1, filesPage = 2;

QString formName(Form form, bool cases) {
    switch (form) {
        case Form::list:
            return cases ? QObject::tr("Cases") : QObject::tr("Values");
        case Form::range:
            return QObject::tr("Range");
        case Form::doubling:
            return QObject::tr("Doubling");
        case Form::seeds:
            return QObject::tr("Seeds");
        case Form::files:
            return QObject::tr("Files");
    }
    return {};
}

QToolButton* button(const char* name, const char* icon, const QString& tip) {
    auto* made = new QToolButton;
    made->setObjectName(QLatin1String(name));
    made->setIcon(lineIcon(QLatin1String(icon)));
    made->setToolTip(tip);
    made->setAutoRaise(true);
    return made;
}

/// "7 values: 4, 8, 16, …, 256"
QString summary(const Axis& axis) {
    constexpr std::size_t most = 9;
    QStringList labels;
    const std::size_t count = axis.values.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (count > most && i >= most - 2 && i + 1 < count) {
            if (i == most - 2) labels << QStringLiteral("…");
            continue;
        }
        labels << QString::fromStdString(axis.values[i].label);
    }
    const bool cases = std::any_of(axis.values.begin(), axis.values.end(), [](const AxisValue& value) {
        return value.label.find(',') != std::string::npos;
    });
    return countedText(static_cast<long long>(count), "value") + QStringLiteral(": ") +
           labels.join(cases ? QStringLiteral("; ") : QStringLiteral(", "));
}

}  // namespace

AxisCard::AxisCard(QWidget* parent) : QFrame(parent) {
    setObjectName(QStringLiteral("axisCard"));
    setFrameShape(QFrame::StyledPanel);
    list_ = line("axisList", &AxisDraft::list);
    form_ = new QComboBox;
    form_->setObjectName(QStringLiteral("axisForm"));
    form_->setFixedWidth(112);
    pages_ = new QStackedWidget;
    pages_->addWidget(list_);
    pages_->addWidget(makeRange());
    pages_->addWidget(makeFiles());
    pages_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    message_ = new QLabel;
    message_->setObjectName(QStringLiteral("axisMessage"));
    message_->setWordWrap(true);
    message_->setTextFormat(Qt::PlainText);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(form_);
    row->addWidget(pages_, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(8);
    column->addWidget(makeHead());
    column->addLayout(row);
    column->addWidget(message_);
    connect(form_, &QComboBox::currentIndexChanged, this, &AxisCard::chooseForm);
}

QWidget* AxisCard::makeHead() {
    auto* head = new QWidget;
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    name_ = new QLineEdit;
    name_->setObjectName(QStringLiteral("axisName"));
    name_->setFixedWidth(160);
    name_->setToolTip(tr("Its name in charts and claims"));
    what_ = new QLabel;
    what_->setProperty("role", "muted");
    what_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* up = button("axisUp", "step-back", tr("Move up"));
    auto* remove = button("removeAxis", "remove", tr("Removes the axis"));
    row->addWidget(name_);
    row->addWidget(what_, 1);
    row->addWidget(up);
    row->addWidget(remove);
    connect(name_, &QLineEdit::textEdited, this, &AxisCard::renamed);
    connect(up, &QToolButton::clicked, this, [this] { emit moveRequested(-1); });
    connect(remove, &QToolButton::clicked, this, &AxisCard::removeRequested);
    return head;
}

QLineEdit* AxisCard::line(const char* name, std::string AxisDraft::*text) {
    auto* made = new QLineEdit;
    made->setObjectName(QLatin1String(name));
    made->setMinimumWidth(64);
    lines_.emplace_back(made, text);
    connect(made, &QLineEdit::textEdited, this, [this, text](const QString& now) {
        draft_.*text = now.toStdString();
        changed();
    });
    return made;
}

QWidget* AxisCard::makeRange() {
    auto* page = new QWidget;
    auto* row = new QHBoxLayout(page);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    from_ = line("axisFrom", &AxisDraft::from);
    to_ = line("axisTo", &AxisDraft::to);
    by_ = line("axisBy", &AxisDraft::by);
    byLabel_ = new QLabel;
    row->addWidget(from_, 2);
    row->addWidget(new QLabel(tr("to")));
    row->addWidget(to_, 2);
    row->addWidget(byLabel_);
    row->addWidget(by_, 1);
    return page;
}

QWidget* AxisCard::makeFiles() {
    auto* page = new QWidget;
    auto* row = new QHBoxLayout(page);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    files_ = new ElidedLabel;
    auto* add = new QPushButton(tr("Choose files…"));
    add->setObjectName(QStringLiteral("axisFiles"));
    row->addWidget(files_, 1);
    row->addWidget(add);
    connect(add, &QPushButton::clicked, this, &AxisCard::addFiles);
    return page;
}

void AxisCard::addFiles() {
    const QStringList paths = QFileDialog::getOpenFileNames(this, tr("Files of the axis"), QString(),
                                                            tr("All that can be opened (*)"));
    if (paths.isEmpty()) return;
    draft_.list = paths.join(u'\n').toStdString();
    changed();
}

void AxisCard::setDraft(const AxisDraft& draft) {
    showing_ = true;
    draft_ = draft;
    if (name_->text().toStdString() != draft.name) name_->setText(QString::fromStdString(draft.name));
    QStringList groups;
    for (const std::string& group : draft.field.groups) groups << QString::fromStdString(group);
    groups << QString::fromStdString(draft.field.value.label);
    const QString what =
        draft.ofCases() ? tr("Cases that set several fields") : groups.join(QStringLiteral(" › "));
    what_->setText(what);
    what_->setToolTip(what);
    const std::vector<Form> forms = formsOf(draft);
    form_->clear();
    for (const Form form : forms) form_->addItem(formName(form, draft.ofCases()), static_cast<int>(form));
    form_->setCurrentIndex(form_->findData(static_cast<int>(draft.form)));
    form_->setEnabled(forms.size() > 1);
    for (const auto& [field, text] : lines_)
        if (field->text().toStdString() != draft.*text) field->setText(QString::fromStdString(draft.*text));
    showForm();
    showing_ = false;
    setMistake({}, {});
}

void AxisCard::showForm() {
    const bool range = draft_.form == Form::range || draft_.form == Form::doubling;
    pages_->setCurrentIndex(range ? rangePage : draft_.form == Form::files ? filesPage : listPage);
    byLabel_->setText(draft_.form == Form::doubling ? tr("times") : tr("step"));
    list_->setPlaceholderText(draft_.form == Form::seeds ? tr("How many, or several with commas")
                                                         : tr("Values with commas between"));
    QStringList choices;
    for (const std::string& choice : draft_.field.value.choices) choices << QString::fromStdString(choice);
    list_->setToolTip(choices.isEmpty() ? QString::fromStdString(draft_.field.value.description)
                                        : tr("Of %1").arg(choices.join(QStringLiteral(", "))));
    QStringList files;
    if (draft_.form == Form::files)
        for (const QString& path : QString::fromStdString(draft_.list).split(u'\n', Qt::SkipEmptyParts))
            files << path.section(u'/', -1);
    files_->setWhole(files.join(QStringLiteral(", ")));
}

void AxisCard::chooseForm() {
    if (showing_ || form_->currentIndex() < 0) return;
    const Form form = static_cast<Form>(form_->currentData().toInt());
    const bool list = form == Form::list && draft_.form != Form::seeds;
    // What was written one way is kept as far as the other can say it.
    if (list) {
        try {
            std::string labels;
            for (const AxisValue& value : axisOf(draft_).values)
                labels += (labels.empty() ? "" : ", ") + value.label;
            draft_.list = labels;
        } catch (const AxisMistake&) {  // what the list held stays
        }
    }
    if (form == Form::seeds) draft_.list = "5";
    if (form == Form::range && draft_.form == Form::doubling) draft_.by = draft_.from;
    if (form == Form::doubling) draft_.by = "2";
    draft_.form = form;
    changed();
}

void AxisCard::changed() {
    if (!showing_) emit edited(draft_);
}

void AxisCard::setMistake(Part part, const QString& sentence) {
    Part at = part;
    QString said = sentence, values;
    try {
        values = summary(axisOf(draft_));
    } catch (const AxisMistake& mistake) {
        at = mistake.part();
        said = QString::fromUtf8(mistake.what());
    }
    const bool wrong = !said.isEmpty();
    message_->setText(wrong ? said : values);
    setRole(*message_, wrong ? "error" : "muted");
    mark(*name_, wrong && at == Part::name);
    mark(*list_, wrong && at == Part::list);
    mark(*from_, wrong && at == Part::from);
    mark(*to_, wrong && at == Part::to);
    mark(*by_, wrong && at == Part::by);
}

void AxisCard::mark(QWidget& field, bool wrong) {
    if (field.property("invalid").toBool() == wrong) return;
    field.setProperty("invalid", wrong);
    field.style()->unpolish(&field);
    field.style()->polish(&field);
}

void AxisCard::focusValues() {
    QLineEdit* field = pages_->currentIndex() == rangePage ? from_ : list_;
    if (pages_->currentIndex() == filesPage) return;
    field->setFocus();
    field->selectAll();
}

}  // namespace stagecraft::app::experiments
