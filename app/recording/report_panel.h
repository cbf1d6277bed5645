#pragma once

#include "app/rooms.h"
#include "core/runs/shown_run.h"

#include <QScrollArea>

class QLabel;
class QVBoxLayout;

namespace stagecraft::app::recording {

/// A part of what is said of a recording, as rich text.
struct ReportPart {
    QString title;
    QString html;
};

/// What the reader made of its files: what they are, what it recognised, assumed and left out. Parts that say
/// nothing are left out.
std::vector<ReportPart> readerParts(const Recording& recording);

/// Beside a recording's chart, what is known of it.
class ReportPanel : public QScrollArea {
    Q_OBJECT

public:
    explicit ReportPanel(QWidget* parent = nullptr);

    /// One below the other, each with its title.
    void setParts(const std::vector<ReportPart>& parts);
    /// All of it, without markup.
    QString text() const;

signals:
    /// A link of a part was clicked, or chosen by keyboard.
    void linkActivated(QString link);

private:
    QVBoxLayout* column_;
};

/// A table of names and values, the latter to the right; both may have markup.
QString reportTable(const std::vector<std::pair<QString, QString>>& rows);

}  // namespace stagecraft::app::recording
