#pragma once

#include "core/base/rooms.h"

#include <QDoubleSpinBox>

class QComboBox;
class QLayout;

namespace stagecraft::app {

/// Shows as many decimals as a number has.
class PlainNumberBox : public QDoubleSpinBox {
public:
    explicit PlainNumberBox(QWidget* parent = nullptr);
    QString textFromValue(double value) const override;
};

QComboBox* choiceBox(const char* name, const QStringList& texts);
QWidget* holding(QLayout* layout);

}  // namespace stagecraft::app
