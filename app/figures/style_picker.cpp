#include "app/figures/style_picker.h"

#include "app/figures/export_choice.h"
#include "core/formats/input_error.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSignalBlocker>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

namespace stagecraft::app::figures {
namespace {

const QString suffix = QStringLiteral(".figure-style.json");
constexpr int longestName = 80;

}  // namespace

StylePicker::StylePicker(QWidget* parent)
    : QWidget(parent),
      shipped_(shippedFigureStyles()),
      kept_(keptFigureStyles()),
      names_(new QComboBox),
      keep_(new QToolButton),
      said_(new QLabel) {
    names_->setObjectName(QStringLiteral("styleName"));
    names_->setEditable(true);
    names_->setInsertPolicy(QComboBox::NoInsert);
    names_->lineEdit()->setMaxLength(longestName);
    names_->lineEdit()->setPlaceholderText(tr("Name of the style"));
    names_->setToolTip(tr("Choose a style, or type a name to save the current settings"));
    names_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    names_->setMinimumContentsLength(10);
    keep_->setObjectName(QStringLiteral("keepStyle"));
    keep_->setText(tr("Keep"));
    keep_->setToolTip(tr("Keep what is set under this name"));
    auto* more = new QToolButton;
    more->setObjectName(QStringLiteral("moreStyles"));
    more->setText(QStringLiteral("⋯"));
    more->setToolTip(tr("Styles as files"));
    more->setPopupMode(QToolButton::InstantPopup);
    more->setProperty("withoutArrow", true);
    auto* menu = new QMenu(more);
    const QString filter = tr("Figure styles (*%1);;All files (*)").arg(suffix);
    menu->addAction(tr("Open a style…"), this, [this, filter] {
        const QString path = QFileDialog::getOpenFileName(this, tr("Open a style"), {}, filter);
        if (!path.isEmpty()) open(path);
    });
    menu->addAction(tr("Save as a file…"), this, [this, filter] {
        const QString suggested = (name().isEmpty() ? tr("figures") : name()) + suffix;
        QString path = QFileDialog::getSaveFileName(this, tr("Save the style"), suggested, filter);
        if (!path.isEmpty()) saveTo(path.contains('.') ? path : path + suffix);
    });
    forget_ = menu->addAction(tr("Forget this style"), this, &StylePicker::forget);
    more->setMenu(menu);
    said_->setObjectName(QStringLiteral("styleSaid"));
    said_->setWordWrap(true);
    said_->hide();

    auto* row = new QHBoxLayout;
    row->setSpacing(4);
    row->addWidget(names_);
    row->addWidget(keep_);
    row->addWidget(more);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addLayout(row);
    layout->addWidget(said_);
    fill();
    connect(keep_, &QToolButton::clicked, this, &StylePicker::keep);
    connect(names_, &QComboBox::activated, this, [this](int index) {
        if (const FigureStyle* style = named(names_->itemText(index))) {
            said_->hide();
            emit chosen(*style);
        }
    });
    connect(names_, &QComboBox::editTextChanged, this, [this] { setCurrent(current_); });
}

/// The list opens at it where it is one of the list.
void StylePicker::show(const QString& name) {
    names_->setCurrentIndex(names_->findText(name));
    names_->setEditText(name);
}

void StylePicker::fill() {
    const QSignalBlocker blocker(names_);
    const QString name = names_->currentText();
    names_->clear();
    for (const FigureStyle& style : shipped_) names_->addItem(QString::fromStdString(style.name));
    if (!kept_.empty()) names_->insertSeparator(names_->count());
    for (const FigureStyle& style : kept_) names_->addItem(QString::fromStdString(style.name));
    show(name);
}

const FigureStyle* StylePicker::named(const QString& name) const {
    const std::string wanted = name.toStdString();
    for (const auto* styles : {&kept_, &shipped_})
        for (const FigureStyle& style : *styles)
            if (style.name == wanted) return &style;
    return nullptr;
}

QString StylePicker::name() const { return names_->currentText().trimmed(); }

void StylePicker::setCurrent(const FigureStyle& style) {
    current_ = style;
    {
        const QSignalBlocker blocker(names_);
        if (names_->currentText().isEmpty() && !style.name.empty() && !names_->lineEdit()->hasFocus())
            show(QString::fromStdString(style.name));
    }
    current_.name = name().toStdString();
    const FigureStyle* known = named(name());
    keep_->setEnabled(!current_.name.empty() && (!known || *known != current_));
    forget_->setEnabled(std::any_of(kept_.begin(), kept_.end(),
                                    [&](const FigureStyle& each) { return each.name == current_.name; }));
}

void StylePicker::keep() {
    keepFigureStyle(current_);
    kept_ = keptFigureStyles();
    fill();
    setCurrent(current_);
    say(tr("Kept as “%1”.").arg(name()), false);
}

void StylePicker::forget() {
    forgetFigureStyle(current_.name);
    kept_ = keptFigureStyles();
    fill();
    setCurrent(current_);
}

void StylePicker::open(const QString& path) {
    try {
        const FigureStyle style = openFigureStyle(path.toStdString());
        {
            const QSignalBlocker blocker(names_);
            show(QString::fromStdString(style.name));
        }
        said_->hide();
        emit chosen(style);
    } catch (const InputError& error) {
        say(QString::fromUtf8(error.what()), true);
    }
}

void StylePicker::saveTo(const QString& path) {
    try {
        saveFigureStyle(current_, path.toStdString());
        say(tr("Saved."), false);
    } catch (const InputError& error) {
        say(QString::fromUtf8(error.what()), true);
    }
}

void StylePicker::say(const QString& text, bool error) {
    said_->setProperty("role", error ? "error" : "muted");
    said_->style()->unpolish(said_);
    said_->style()->polish(said_);
    said_->setText(text);
    said_->show();
}

}  // namespace stagecraft::app::figures
