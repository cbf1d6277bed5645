#pragma once

#include "core/editing/profile_edit.h"
#include "core/model/layer_profile.h"
#include "views/rooms.h"

#include <QObject>

#include <functional>
#include <utility>

namespace stagecraft::views::profile {

class LayerPane;
class OperationBar;

/// What a person can do with the layers chosen in a table. Never changes the profile itself: edited() asks
/// for another in its place.
class ProfileEditor : public QObject {
    Q_OBJECT
public:
    /// @param pane says which layers are chosen
    /// @param operations asks for what an operation needs
    ProfileEditor(LayerPane& pane, OperationBar& operations, QObject* parent = nullptr);

    void setProfile(const LayerProfile& profile);
    /// The document's; what is shown may be of another microbatch size.
    const LayerProfile& profile() const { return profile_; }
    /// Only at the profile's own microbatch size can its numbers be edited. 0: of a rank of a group, never.
    void setShownSize(int microbatchSize);
    /// The layers to choose once the edit that was asked for is shown.
    std::vector<int> takeChooseNext() { return std::exchange(chooseNext_, {}); }

    // What can be done with the chosen layers now.
    bool canEdit() const;
    bool canMerge() const;
    bool canSplit() const;
    bool hasNodes() const;
    bool canMakeFinest() const;
    /// "layer 3", "4 layers" or "all 12 layers".
    QString chosenText() const;

    // Operations on the chosen layers. Scaling without chosen ones is for all.
    void askFactor();
    void askCopies();
    void insertLayer();  ///< after the chosen ones, else at the end
    void deleteChosen();
    void mergeChosen();
    void splitChosen();
    void regroup();
    void makeFinest();
    void copyChosen();
    void paste();
    void pasteAsNew();

    // Operations on what is pointed at in the network's graph.
    void splitLayer(int layer);
    void toggleCutAfter(int node);  ///< a layer ends after it, or does not any more

signals:
    void edited(const LayerProfile& after, const QString& text);
    /// Why it cannot be done; empty: what was said before is no longer so.
    void complained(const QString& text);

private:
    void enterValue(int layer, int column, const QString& text);
    void scale(ProfileNumbers numbers, double factor);
    void repeat(int copies);
    /// Asks for what `made` gives, or says why it cannot be; then chooses these layers.
    void edit(const QString& text, const std::function<LayerProfile()>& made, std::vector<int> choose = {});

    LayerPane& pane_;
    OperationBar& operations_;
    LayerProfile profile_;
    int shownSize_ = 0;
    std::vector<int> chooseNext_;
};

}  // namespace stagecraft::views::profile
