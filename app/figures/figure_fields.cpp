#include "app/figures/figure_fields.h"

#include <QComboBox>
#include <QLayout>

namespace stagecraft::app::figures {

PlainNumberBox::PlainNumberBox(QWidget* parent) : QDoubleSpinBox(parent) {
    constexpr int mostDecimals = 3;
    setDecimals(mostDecimals);
}

QString PlainNumberBox::textFromValue(double value) const {
    return locale().toString(value, 'f', QLocale::FloatingPointShortest);
}

QComboBox* choiceBox(const char* name, const QStringList& texts) {
    auto* box = new QComboBox;
    box->setObjectName(QLatin1String(name));
    box->addItems(texts);
    return box;
}

QWidget* holding(QLayout* layout) {
    auto* widget = new QWidget;
    widget->setLayout(layout);
    return widget;
}

}  // namespace stagecraft::app::figures
