#pragma once

#include "views/resources/memory_painter.h"
#include "views/resources/series_list.h"

namespace stagecraft::views::resources {

/// The devices of a memory chart with what each holds, at an instant or at its peak; of the selected one by
/// kind, and what swap and recompute save.
class MemoryList : public SeriesList {
    Q_OBJECT
public:
    explicit MemoryList(const MemoryScene* scene, QWidget* parent = nullptr);

    /// Bytes shown in the row of a series.
    double bytesOf(std::size_t series) const;

protected:
    int count() const override { return scene_->data ? static_cast<int>(scene_->data->memory.size()) : 0; }
    int selected() const override { return scene_->series; }
    int emphasised() const override { return scene_->emphasised; }
    QStringList heading() const override;
    Row row(int series) const override;
    std::vector<Part> parts() const override;
    QString tip(int series) const override;

private:
    const MemorySeries& seriesOf(int series) const {
        return scene_->data->memory[static_cast<std::size_t>(series)];
    }

    const MemoryScene* scene_;
};

}  // namespace stagecraft::views::resources
