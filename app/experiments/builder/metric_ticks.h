#pragma once

#include "app/rooms.h"

#include <QWidget>

#include <string>
#include <vector>

class QCheckBox;
class QPushButton;

namespace stagecraft::app::experiments {

/// The metrics that charts of an experiment offer first, by tick boxes; those that few ask for on demand.
class MetricTicks : public QWidget {
    Q_OBJECT
public:
    explicit MetricTicks(QWidget* parent = nullptr);
    void setMetrics(const std::vector<std::string>& chosen);

signals:
    void edited(const std::vector<std::string>& chosen);

private:
    void showTicks();

    std::vector<std::string> chosen_;
    std::vector<std::pair<std::string, QCheckBox*>> ticks_;
    QPushButton* more_;
};

}  // namespace stagecraft::app::experiments
