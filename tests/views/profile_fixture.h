#pragma once

#include "core/graph/grouping.h"
#include "tests/support/window_rooms.h"
#include "core/model/layer_profile.h"
#include "views/profile/profile_editor.h"
#include "views/profile/profile_view.h"

#include <QSignalSpy>
#include <QTest>

namespace stagecraft {

/// A chain in which every layer has numbers of its own and nothing is odd.
inline LayerProfile chainProfile(int layers) {
    LayerProfile profile;
    profile.name = "net";
    profile.source = "made for this test";
    profile.microbatchSize = 4;
    for (int i = 0; i < layers; ++i) {
        const double time = 1e-3 * (10 + i % 7);
        profile.layers.push_back(
            {"block " + std::to_string(i), time, 2 * time, 1e6 * (1 + i % 5), 4096, 4096, 8192, time});
    }
    return profile;
}

/// A network of blocks: a stem, two branches and what adds them up; three nodes of each block are one layer.
inline LayerProfile branchedProfile(int blocks) {
    LayerProfile profile = chainProfile(0);
    NetworkGraph& graph = profile.operators;
    std::vector<int> cuts;
    for (int block = 0; block < blocks; ++block) {
        const int stem = 4 * block;
        for (int part = 0; part < 4; ++part) {
            const std::string name = "node" + std::to_string(stem + part) + " Conv2d(3, 64)";
            graph.nodes.push_back({name, 1e-3, 2e-3, 1e6, 4096, 4096, 4096, 1e-3});
        }
        if (block > 0) graph.edges.push_back({stem - 1, stem});
        for (const int branch : {stem + 1, stem + 2}) {
            graph.edges.push_back({stem, branch});
            graph.edges.push_back({branch, stem + 3});
        }
        cuts.push_back(stem);
        cuts.push_back(stem + 3);
    }
    graph.layerOf.assign(graph.nodes.size(), 0);
    groupOperators(profile, cuts);
    return profile;
}

/// A view whose edits are done, as the window does them, and counted.
struct EditedView {
    explicit EditedView(const LayerProfile& first) : profile(first) {
        QObject::connect(&view, &ProfileView::profileEdited, &view,
                         [this](const LayerProfile& after, const QString& text, const QString&) {
                             profile = after;
                             steps << text;
                             view.setProfile(after, false);
                         });
        view.setProfile(first);
        view.resize(1200, 760);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
    }

    ProfileView view;
    LayerProfile profile;
    QStringList steps;
};

}  // namespace stagecraft
