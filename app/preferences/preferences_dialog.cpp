#include "app/preferences/preferences_dialog.h"

#include "views/common/on_screen.h"
#include "views/common/widgets.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app::preferences {
namespace {

constexpr QSize usualDialogSize(640, 640);
constexpr int editorWidth = 220;

}  // namespace

PreferencesDialog::PreferencesDialog(std::vector<Preference> preferences, QWidget* parent)
    : QDialog(parent), search_(new QLineEdit), none_(newLine({}, "muted")), reset_(new QPushButton) {
    setObjectName(QStringLiteral("preferences"));
    setWindowTitle(tr("Preferences"));
    for (Preference& preference : preferences) {
        rows_.emplace_back();
        rows_.back().preference = std::move(preference);
    }
    search_->setObjectName(QStringLiteral("preferenceSearch"));
    search_->setPlaceholderText(tr("Search preferences"));
    search_->setClearButtonEnabled(true);
    none_->setObjectName(QStringLiteral("noPreference"));
    none_->setText(tr("No preference has these words."));
    none_->hide();
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(pageOfRows());
    reset_->setText(tr("Reset all"));
    reset_->setObjectName(QStringLiteral("resetPreferences"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    buttons->addButton(reset_, QDialogButtonBox::ResetRole);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(search_);
    layout->addWidget(none_);
    layout->addWidget(scroll, 1);
    layout->addWidget(buttons);
    connect(search_, &QLineEdit::textChanged, this, &PreferencesDialog::narrow);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(reset_, &QPushButton::clicked, this, &PreferencesDialog::resetAll);
    // Return takes what was typed, and resets nothing.
    for (QPushButton* button : findChildren<QPushButton*>()) button->setAutoDefault(false);
    search_->setFocus();
    placeOnScreen(*this, usualDialogSize);
    for (Row& row : rows_) showRow(row);
}

QStringList PreferencesDialog::shown() const {
    QStringList ids;
    for (const Row& row : rows_)
        if (!row.whole->isHidden()) ids << row.preference.id;
    return ids;
}

QWidget* PreferencesDialog::pageOfRows() {
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    QString group;
    for (Row& row : rows_) {
        if (row.preference.group != group) {
            group = row.preference.group;
            row.heading = newLine(group, "heading");
            layout->addWidget(row.heading);
        }
        row.whole = newRow(row);
        layout->addWidget(row.whole);
    }
    layout->addStretch(1);
    return page;
}

QWidget* PreferencesDialog::newRow(Row& row) {
    auto* whole = new QWidget;
    auto* grid = new QGridLayout(whole);
    grid->setContentsMargins(0, 2, 0, 8);
    QWidget* editor = newEditor(row);
    auto* label = new QLabel(row.preference.label);
    label->setBuddy(editor);
    row.back = new QPushButton(tr("Reset"));
    row.back->setProperty("quiet", true);
    row.back->setObjectName(QStringLiteral("reset.") + row.preference.id);
    row.back->setAccessibleName(tr("Reset %1").arg(row.preference.label));
    // It keeps its place, so that nothing moves as values change.
    QSizePolicy policy = row.back->sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    row.back->setSizePolicy(policy);
    connect(row.back, &QPushButton::clicked, this, [this, &row] {
        take(row, row.preference.standard);
        row.showValue();
    });
    grid->addWidget(label, 0, 0);
    grid->addWidget(editor, 0, 1);
    grid->addWidget(row.back, 0, 2);
    grid->addWidget(newParagraph(row.preference.help, "muted"), 1, 0, 1, 3);
    grid->setColumnStretch(0, 1);
    return whole;
}

QWidget* PreferencesDialog::newEditor(Row& row) {
    QWidget* editor = !row.preference.choices.empty() ? newChoice(row)
                      : row.preference.isFolder()     ? newFolder(row)
                                                      : newNumber(row);
    editor->setFixedWidth(editorWidth);
    return editor;
}

QWidget* PreferencesDialog::newChoice(Row& row) {
    auto* choice = new QComboBox;
    choice->setObjectName(row.preference.id);
    choice->setAccessibleName(row.preference.label);
    for (const PreferenceChoice& each : row.preference.choices) choice->addItem(each.label, each.value);
    row.showValue = [&row, choice] {
        const QSignalBlocker quiet(choice);
        choice->setCurrentIndex(std::max(0, choice->findData(row.preference.value())));
    };
    connect(choice, &QComboBox::currentIndexChanged, this,
            [this, &row, choice] { take(row, choice->currentData()); });
    return choice;
}

QWidget* PreferencesDialog::newNumber(Row& row) {
    auto* number = new QSpinBox;
    number->setObjectName(row.preference.id);
    number->setAccessibleName(row.preference.label);
    number->setRange(row.preference.least, row.preference.most);
    number->setSingleStep(row.preference.step);
    number->setSuffix(row.preference.suffix);
    // Half a number is none yet.
    number->setKeyboardTracking(false);
    row.showValue = [&row, number] {
        const QSignalBlocker quiet(number);
        number->setValue(row.preference.value().toInt());
    };
    connect(number, &QSpinBox::valueChanged, this, [this, &row](int value) { take(row, value); });
    return number;
}

QWidget* PreferencesDialog::newFolder(Row& row) {
    auto* choose = new QPushButton;
    choose->setObjectName(row.preference.id);
    choose->setAccessibleName(row.preference.label);
    row.showValue = [&row, choose] {
        const QString folder = row.preference.value().toString();
        choose->setText(folder.isEmpty()
                            ? tr("Choose…")
                            : choose->fontMetrics().elidedText(QDir::toNativeSeparators(folder),
                                                               Qt::ElideMiddle, editorWidth - 32));
        choose->setToolTip(folder);
    };
    connect(choose, &QPushButton::clicked, this, [this, &row] {
        const QString folder =
            QFileDialog::getExistingDirectory(this, row.preference.label, row.preference.value().toString());
        if (folder.isEmpty()) return;
        take(row, folder);
        row.showValue();
    });
    return choose;
}

void PreferencesDialog::take(Row& row, const QVariant& value) {
    if (row.preference.value() != value) row.preference.apply(value);
    for (Row& each : rows_) showRow(each);
}

void PreferencesDialog::showRow(Row& row) {
    row.showValue();
    row.back->setVisible(row.preference.value() != row.preference.standard);
    reset_->setEnabled(std::any_of(rows_.begin(), rows_.end(), [](const Row& each) {
        return each.preference.value() != each.preference.standard;
    }));
}

void PreferencesDialog::resetAll() {
    for (Row& row : rows_)
        if (row.preference.value() != row.preference.standard) row.preference.apply(row.preference.standard);
    for (Row& row : rows_) showRow(row);
}

void PreferencesDialog::narrow(const QString& text) {
    const QStringList words = text.split(' ', Qt::SkipEmptyParts);
    QLabel* heading = nullptr;
    bool any = false;
    for (Row& row : rows_) {
        if (row.heading) {
            heading = row.heading;
            heading->hide();
        }
        QString whole = row.preference.group + ' ' + row.preference.label + ' ' + row.preference.help;
        for (const PreferenceChoice& choice : row.preference.choices) whole += ' ' + choice.label;
        const bool has = std::all_of(words.begin(), words.end(), [&](const QString& word) {
            return whole.contains(word, Qt::CaseInsensitive);
        });
        row.whole->setVisible(has);
        if (has && heading) heading->show();
        any |= has;
    }
    none_->setVisible(!any);
}

}  // namespace stagecraft::app::preferences
