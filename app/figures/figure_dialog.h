#pragma once

#include "app/figures/export_choice.h"
#include "app/figures/kept_figures.h"

#include <QDialog>

#include <functional>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace stagecraft::views::figures {
class FigurePreview;
}

namespace stagecraft::app::figures {

class FigureMarker;
class FigureSettings;
class StylePicker;

/// What to draw for print and how, with the figure itself beside it, as large as it will be printed; then the
/// file is asked for, and to cancel that leads back here.
class FigureDialog : public QDialog {
    Q_OBJECT

public:
    /// @param sources at least one; the first is chosen unless `choice` names another
    /// @param shown what the chart of the window shows; nothing where there is no chart
    FigureDialog(std::vector<FigureSource> sources, std::optional<FigurePart> shown,
                 const ExportChoice& choice, QWidget* parent = nullptr);

    ExportChoice choice() const;
    const FigureSource& source() const;
    FigurePreview& preview() { return *preview_; }
    /// A sentence above the figure; empty: none.
    void setRemark(const QString& remark);
    /// Offers to keep the figure under a name, at first `name`; `keep` does it and says in a sentence what
    /// came of it.
    using Keep = std::function<QString(const QString& name, const StyledFigure& figure)>;
    void offerKeeping(const QString& name, Keep keep);
    /// The notes of the plan's chart as they were left, if any were placed, moved or removed here. Those on
    /// other plans of the figure are in its part alone.
    std::optional<std::vector<ChartNote>> editedNotes() const;
    StylePicker& styles() { return *styles_; }
    FigureSettings& settings() { return *settings_; }

    /// "Figures (*.pdf)", for the file dialog.
    QString filter() const;
    QString suffix() const;

    /// Shows the dialog until it is left or a file is chosen; remembers what was chosen either way.
    /// @param otherFolder where files go until one was chosen; @param name the file's name before its suffix
    /// @return the file with its suffix; empty: the dialog was left
    QString askForFile(const QString& otherFolder, const std::function<QString()>& name);

public slots:
    /// Asks for the file first where askForFile() runs the dialog.
    void accept() override;
    /// The figure as a picture, SVG and PDF, in the size that is printed; TikZ as text where that is chosen.
    void copy();

protected:
    /// Return ends what is typed into a field; it does not export.
    void keyPressEvent(QKeyEvent* event) override;

private:
    void layOut();
    void layOutKeeping();
    void followParts();
    QWidget* makeToolbar();
    QComboBox* visionBox();
    QWidget* makeSide();
    void fillFormats();
    void refresh();
    void showSize();
    void keep();

    std::vector<FigureSource> sources_;
    Keep keep_;
    std::function<QString()> askWhere_;
    QString file_;
    ExportChoice before_;
    QComboBox* figure_;
    QComboBox* format_;
    StylePicker* styles_;
    FigureSettings* settings_;
    FigurePreview* preview_;
    FigureMarker* marker_;
    std::optional<std::vector<std::vector<ChartNote>>> notes_;  ///< by plan
    QLabel* size_;
    QLabel* remark_;
    QLabel* omissions_;
    QLabel* zoom_;
    QLabel* failure_;
    QPushButton* export_;
    QPushButton* copy_;
    QWidget* keeping_;
    QLineEdit* keptName_;
    QPushButton* keepButton_;
};

}  // namespace stagecraft::app::figures
