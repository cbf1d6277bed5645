#pragma once

#include "app/rooms.h"
#include "core/model/chart_note.h"
#include "views/figures/figure.h"

#include <QWidget>

#include <optional>
#include <vector>

class QLineEdit;
class QToolButton;

namespace stagecraft::views::figures {
class FigurePreview;
}

namespace stagecraft::app::figures {

/// Places text, brackets and arrows on a figure with the mouse: a tool, then a click or a drag in the
/// preview, then the words. Without a tool a click selects what was placed, a drag moves it in time and to
/// another lane. In a figure of several panels marks belong to the plan of their panel, and an arrow may end
/// in another one.
class FigureMarker : public QWidget {
    Q_OBJECT

public:
    explicit FigureMarker(FigurePreview& preview, QWidget* parent = nullptr);

    /// @param notes by plan (FigureLane::plan)
    void setNotes(std::vector<std::vector<ChartNote>> notes);
    const std::vector<std::vector<ChartNote>>& notes() const { return notes_; }

signals:
    void edited();

private:
    struct Place {
        const FigureLane* lane;  ///< nearest
        bool above;              ///< all lanes of its panel
        double timeS;
        std::string device() const { return above ? std::string() : lane->device; }
    };
    /// One of the notes.
    struct Mark {
        std::size_t plan, index;
    };
    void layOut();
    QToolButton* toolButton(const QString& text, const QString& tip, const char* name, NoteShape shape);
    std::optional<Place> placeAt(const QPointF& mm) const;
    /// @param panel -1: that of the plan
    std::optional<QPointF> pointOf(double timeS, const std::string& device, std::size_t plan,
                                   int panel = -1) const;
    std::optional<Mark> hit(const QPointF& mm) const;
    ChartNote& note(const Mark& mark) { return notes_[mark.plan][mark.index]; }
    void press(const QPointF& mm);
    void drag(const QPointF& mm);
    void release(const QPointF& mm);
    void add(const QPointF& from, const QPointF& to);
    void moveSelected(const QPointF& from, const QPointF& to);
    void select(std::optional<Mark> mark);
    void remove();

    FigurePreview& preview_;
    std::vector<std::vector<ChartNote>> notes_;
    std::optional<NoteShape> tool_;
    std::optional<QPointF> pressed_;
    std::optional<Mark> selected_;
    std::vector<QToolButton*> tools_;
    QLineEdit* words_;
    QToolButton* remove_;
};

}  // namespace stagecraft::app::figures
