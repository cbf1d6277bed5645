#pragma once

#include "app/rooms.h"
#include "views/figures/figure_style.h"

#include <QWidget>

class QAction;
class QComboBox;
class QLabel;
class QToolButton;

namespace stagecraft::app::figures {

/// The named styles: choose one, keep what is set under a name, and exchange styles as files.
class StylePicker : public QWidget {
    Q_OBJECT

public:
    explicit StylePicker(QWidget* parent = nullptr);

    /// What is set now, named or not; the picker says whether it is one of the named styles still.
    void setCurrent(const FigureStyle& style);
    QString name() const;
    /// Takes a style from a file, or says in the row below why not.
    void open(const QString& path);
    void saveTo(const QString& path);

signals:
    void chosen(const FigureStyle& style);

private:
    void fill();
    void show(const QString& name);
    void keep();
    void forget();
    void say(const QString& text, bool error);
    const FigureStyle* named(const QString& name) const;

    std::vector<FigureStyle> shipped_, kept_;
    FigureStyle current_;
    QComboBox* names_;
    QToolButton* keep_;
    QAction* forget_;
    QLabel* said_;
};

}  // namespace stagecraft::app::figures
