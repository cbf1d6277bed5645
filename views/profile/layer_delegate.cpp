#include "views/profile/layer_delegate.h"

#include "core/base/quantity.h"
#include "views/profile/layer_table.h"

#include <QLineEdit>
#include <QToolTip>
#include <QValidator>

#include <algorithm>
#include <stdexcept>

namespace stagecraft::views::profile {

namespace {

/// Accepts what parseQuantity reads, and an empty text where that has a meaning; says why not when Enter is
/// pressed on anything else.
class QuantityValidator : public QValidator {
public:
    QuantityValidator(Quantity quantity, bool mayBeEmpty, QLineEdit* field)
        : QValidator(field), quantity_(quantity), mayBeEmpty_(mayBeEmpty), field_(field) {}

    State validate(QString& text, int&) const override {
        return why(text).isEmpty() ? Acceptable : Intermediate;
    }
    void fixup(QString& text) const override {
        const QPoint below = field_->mapToGlobal(QPoint(0, field_->height() / 2));
        QToolTip::showText(below, "<p>" + why(text).toHtmlEscaped() + "</p>", field_, {}, messageMs);
    }

private:
    static constexpr int messageMs = 8000;

    QString why(const QString& text) const {
        if (mayBeEmpty_ && text.trimmed().isEmpty()) return {};
        try {
            parseQuantity(quantity_, text.toStdString());
            return {};
        } catch (const std::invalid_argument& error) {
            return QString::fromStdString(error.what());
        }
    }

    Quantity quantity_;
    bool mayBeEmpty_;
    QLineEdit* field_;
};

}  // namespace

QWidget* LayerDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                     const QModelIndex& index) const {
    auto* field = new QLineEdit(parent);
    field->setObjectName(QStringLiteral("cellEditor"));
    if (LayerTable::isNumber(index.column())) {
        field->setAlignment(Qt::AlignRight);
        field->setValidator(new QuantityValidator(LayerTable::quantity(index.column()),
                                                  !LayerTable::field(index.column()), field));
    }
    return field;
}

void LayerDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
    auto* field = static_cast<QLineEdit*>(editor);
    field->setText(index.data(Qt::EditRole).toString());
    field->selectAll();
}

void LayerDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                         const QModelIndex&) const {
    // Exact values may be longer than what the cell shows: a field of numbers grows to the left.
    const int wanted = std::max(option.rect.width(), editor->fontMetrics().averageCharWidth() * 16);
    QRect box = option.rect;
    box.setLeft(std::max(0, box.right() - wanted + 1));
    if (!LayerTable::isNumber(option.index.column())) box = option.rect;
    editor->setGeometry(box);
}

}  // namespace stagecraft::views::profile
