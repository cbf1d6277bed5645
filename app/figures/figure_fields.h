#pragma once

#include "app/rooms.h"

#include <QDoubleSpinBox>

class QComboBox;
class QLayout;

namespace stagecraft::app::figures {

/// Shows as many decimals as a number has.
class PlainNumberBox : public QDoubleSpinBox {
public:
    explicit PlainNumberBox(QWidget* parent = nullptr);
    QString textFromValue(double value) const override;
};

QComboBox* choiceBox(const char* name, const QStringList& texts);
QWidget* holding(QLayout* layout);

}  // namespace stagecraft::app::figures
