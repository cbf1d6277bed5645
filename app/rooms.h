#pragma once

#include "views/rooms.h"

/// The rooms of app, each with a namespace of its name. All know core and views; of each other they see those
/// that they name here.
namespace stagecraft::app {
using namespace views::common;
using namespace views::figures;
using namespace views::plot;
using namespace views::topology;
using namespace views::profile;
using namespace views::timeline;
using namespace views::resources;
using namespace views::plan;
using namespace views::compare;
using namespace views::training;
using namespace views::vpipe;
using namespace views::interconnect;
using namespace views::pattern;
using namespace views::pareto;
using namespace views::strip;
using namespace views::puzzles;
using namespace views::experiments;
using namespace views::stack;
using namespace views::play;

namespace actions {}
namespace document {}
namespace preferences {}
namespace jobs {
using namespace document;
}
namespace panels {
using namespace jobs;
}
namespace play {
using namespace actions;
using namespace document;
}  // namespace play
namespace puzzles {
using namespace actions;
using namespace document;
}  // namespace puzzles
namespace figures {
using namespace panels;
}
namespace profile {
using namespace panels;
}
namespace pages {
using namespace figures;
}
namespace compare {
using namespace pages;
}
namespace help {
using namespace actions;
using namespace figures;
}  // namespace help
namespace pareto {
using namespace pages;
}
namespace experiments {
using namespace actions;
using namespace figures;
}  // namespace experiments
namespace training {
using namespace pages;
}
namespace vpipe {
using namespace actions;
using namespace figures;
}  // namespace vpipe
namespace lessons {
using namespace help;
}
namespace start {
using namespace experiments;
using namespace profile;
}  // namespace start
namespace plan {
using namespace actions;
using namespace pages;
}  // namespace plan
namespace recording {
using namespace pages;
}
namespace shell {
using namespace play;
using namespace preferences;
using namespace puzzles;
using namespace profile;
using namespace compare;
using namespace pareto;
using namespace training;
using namespace vpipe;
using namespace lessons;
using namespace start;
using namespace plan;
using namespace recording;
}  // namespace shell
namespace commands {
using namespace shell;
}
}  // namespace stagecraft::app
