#pragma once

#include "app/rooms.h"

#include <QWidget>

#include <optional>
#include <string>
#include <vector>

class QVBoxLayout;

namespace stagecraft::app::experiments {

/// Offers to put back custom experiments that were taken off the list, the last one first.
class RemovedBar : public QWidget {
    Q_OBJECT
public:
    explicit RemovedBar(QWidget* parent = nullptr);

    /// Deletes the file of an experiment that the program kept; a file that a person saved stays.
    /// @throws InputError
    void remove(const QString& path);

signals:
    /// Its file, if that went, is there again.
    void putBack(const QString& path, const QString& name);
    void failed(const QString& sentence);

private:
    void showLast();
    void putBackLast();

    struct Removed {
        QString path, name;
        std::optional<std::string> text;  ///< what its file held if that went too
    };

    std::vector<Removed> removed_;
    QVBoxLayout* column_;
};

}  // namespace stagecraft::app::experiments
