#pragma once

#include "core/formats/native/formats.h"
#include "views/rooms.h"

#include <QWidget>

class QLabel;
class QScrollArea;
class QToolButton;

namespace stagecraft::views::profile {

/// What an importer took, derived, grouped, assumed and ignored: one line of numbers, or all of it. Stays
/// until it is closed.
class ImportNotes : public QWidget {
    Q_OBJECT
public:
    explicit ImportNotes(QWidget* parent = nullptr);

    /// Shows itself unless there are no notes.
    void setNotes(const QString& file, const std::vector<ImportNote>& notes);
    void expand(bool expanded);
    QString summary() const;
    QString text() const;

private:
    QLabel* summary_;
    QLabel* list_;
    QScrollArea* scroll_;
    QToolButton* more_;
};

}  // namespace stagecraft::views::profile
