#pragma once

#include "app/figures/figure_source.h"

#include <QObject>

#include <vector>

class QComboBox;
class QFormLayout;
class QLineEdit;

namespace stagecraft::app::figures {

/// Rows of a form for what authors write into a figure: its title, the names of lanes, the time axis, and
/// what is in blocks.
class FigureLabelRows : public QObject {
    Q_OBJECT

public:
    /// Adds them below what `form` has, which they do not outlive.
    explicit FigureLabelRows(QFormLayout& form);

    void setFigureStyle(const FigureStyle& style);
    /// Changes what the rows are about.
    void applyTo(FigureStyle& style) const;
    /// Shows the rows that apply to a source.
    void setSubject(const FigureSource& source);

signals:
    void changed();
    /// A person has begun to write a title.
    void titleWritten();

private:
    struct Words {
        QLineEdit* line;
        std::string FigureStyle::*member;
    };
    /// A line of text of that name; `hint` stands in it while it is empty.
    QLineEdit* words(const QString& hint, const QString& tip, const char* name,
                     std::string FigureStyle::*member);

    QFormLayout& form_;
    std::vector<Words> words_;
    QLineEdit* lanes_;
    QLineEdit* legend_;
    QLineEdit* panels_;
    QLineEdit* time_;
    QComboBox* unit_;
    QComboBox* blocks_;
    QComboBox* counting_;
};

}  // namespace stagecraft::app::figures
