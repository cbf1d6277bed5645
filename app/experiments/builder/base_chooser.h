#pragma once

#include "app/rooms.h"
#include "core/model/problem.h"

#include <QWidget>

#include <functional>
#include <optional>
#include <string>

class QComboBox;
class QLabel;

namespace stagecraft::app::experiments {

/// A problem and what people call it.
struct NamedProblem {
    QString name;
    Problem problem;
};
/// What is open in the main window, if anything is.
using OpenProject = std::function<std::optional<NamedProblem>()>;

/// Where the problem comes from that an experiment varies: the open project, a sample, a file, or a model of
/// the zoo on a cluster that is made.
class BaseChooser : public QWidget {
    Q_OBJECT
public:
    explicit BaseChooser(OpenProject openProject, QWidget* parent = nullptr);
    /// @param base as the experiment has it @param name of where it is from; empty: as the experiment says
    void setBase(const std::string& base, const QString& name);
    void showError(const QString& sentence);
    /// The base of what is open in the main window; nothing without it.
    std::optional<std::string> openBase() const;

signals:
    void chosen(const std::string& base, const QString& name);

public slots:
    void openFile(const QString& path);

private:
    void fill();
    void take(int index);
    void takeRecipe();

    OpenProject openProject_;
    std::string base_;
    QComboBox* from_;
    QWidget* recipe_;
    QComboBox* model_;
    QComboBox* cluster_;
    QLabel* error_;
    bool showing_ = false;
};

}  // namespace stagecraft::app::experiments
