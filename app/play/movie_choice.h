#pragma once

#include "app/rooms.h"
#include "views/play/movie.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;

namespace stagecraft::app::play {

/// What a person last chose for a movie; remembered from one time to the next.
struct MovieChoice {
    QString format = movieFormats().front().id;
    int seconds = 10;
    int framesPerSecond = 20;
    QSize size{1280, 720};
    bool shownPart = false;  ///< the time that the chart shows; else all
    QString folder;          ///< of what was last written; empty: none yet

    static MovieChoice load();
    void save() const;
};

/// What to make of a playing; where to put it is asked afterwards.
class MovieDialog : public QDialog {
    Q_OBJECT

public:
    explicit MovieDialog(const MovieChoice& choice, QWidget* parent = nullptr);
    MovieChoice choice() const;

private:
    void showExtent();

    MovieChoice before_;
    QComboBox* format_;
    QSpinBox* seconds_;
    QSpinBox* rate_;
    QComboBox* size_;
    QCheckBox* shownPart_;
    QLabel* extent_;
};

}  // namespace stagecraft::app::play
