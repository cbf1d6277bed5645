#pragma once

#include "core/model/chart_note.h"
#include "views/figures/figure.h"

#include <QWidget>

#include <optional>
#include <vector>

class QLineEdit;
class QToolButton;

namespace stagecraft::views {
class FigurePreview;
}  // namespace stagecraft::views

namespace stagecraft::app {

/// Places text, brackets and arrows on a figure with the mouse: a tool, then a click or a drag in the
/// preview, then the words. Without a tool a click selects what was placed, a drag moves it in time and to
/// another lane.
class FigureMarker : public QWidget {
    Q_OBJECT

public:
    explicit FigureMarker(FigurePreview& preview, QWidget* parent = nullptr);

    void setNotes(std::vector<ChartNote> notes);
    const std::vector<ChartNote>& notes() const { return notes_; }

signals:
    void edited();

private:
    struct Place {
        const FigureLane* lane;  ///< null: above all lanes
        double timeS;
    };
    void layOut();
    QToolButton* toolButton(const QString& text, const QString& tip, const char* name, NoteShape shape);
    std::optional<Place> placeAt(const QPointF& mm) const;
    std::optional<QPointF> pointOf(double timeS, const std::string& device) const;
    int hit(const QPointF& mm) const;
    void press(const QPointF& mm);
    void drag(const QPointF& mm);
    void release(const QPointF& mm);
    void add(const QPointF& from, const QPointF& to);
    void moveSelected(const QPointF& from, const QPointF& to);
    void select(int note);
    void remove();

    FigurePreview& preview_;
    std::vector<ChartNote> notes_;
    std::optional<NoteShape> tool_;
    std::optional<QPointF> pressed_;
    int selected_ = -1;
    std::vector<QToolButton*> tools_;
    QLineEdit* words_;
    QToolButton* remove_;
};

}  // namespace stagecraft::app
