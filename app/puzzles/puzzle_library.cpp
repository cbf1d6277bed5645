#include "app/puzzles/puzzle_library.h"

#include "app/document/samples.h"
#include "core/base/counted.h"
#include "core/editing/cluster_edit.h"
#include "core/puzzles/real_plan.h"

#include <QFile>

#include <algorithm>
#include <stdexcept>

static void loadPuzzleResources() { Q_INIT_RESOURCE(puzzles); }

namespace stagecraft::app::puzzles {

namespace {

constexpr const char* puzzleFolder = ":/stagecraft/puzzles/";
constexpr const char* courseFile = "course.puzzles.json";
constexpr const char* parFile = "par.json";

std::string shippedText(const char* name) {
    loadPuzzleResources();
    QFile file(QLatin1String(puzzleFolder) + QLatin1String(name));
    if (!file.open(QIODevice::ReadOnly)) throw std::runtime_error(std::string(name) + " is missing");
    return file.readAll().toStdString();
}

}  // namespace

const std::vector<CoursePuzzle>& coursePuzzles() {
    static const std::vector<CoursePuzzle> course = readCourse(shippedText(courseFile), courseFile);
    return course;
}

const CoursePuzzle* findPuzzle(const std::string& id) {
    const auto found = std::find_if(coursePuzzles().begin(), coursePuzzles().end(),
                                    [&](const CoursePuzzle& each) { return each.id == id; });
    return found == coursePuzzles().end() ? nullptr : &*found;
}

const ParTable& shippedPars() {
    static const ParTable table = readParTable(shippedText(parFile), parFile);
    return table;
}

std::optional<Par> parFor(const Puzzle& puzzle) {
    const std::optional<Par> known = shippedPars().find(puzzle);
    return known ? known : workOutPar(puzzle);
}

ParTable freshParTable() {
    std::vector<Puzzle> puzzles;
    for (const CoursePuzzle& each : coursePuzzles()) puzzles.push_back(each.puzzle);
    for (const Puzzle& shape : smallShapes())
        if (std::find(puzzles.begin(), puzzles.end(), shape) == puzzles.end()) puzzles.push_back(shape);
    std::vector<ParRow> rows;
    for (const Puzzle& puzzle : puzzles)
        if (const std::optional<Par> par = workOutPar(puzzle)) rows.push_back({puzzle, *par});
    return ParTable(std::move(rows));
}

Project realProject(const PuzzleBoard& board, const Project& project, const std::string& planName) {
    Project real;
    real.name = project.name;
    real.problem = project.problem;
    real.problem.setup = realSetup(board.puzzle(), project.problem.setup);
    real.plans.push_back(realPlan(board, CostModel(real.problem), planName));
    return real;
}

Project realSample(int devices) {
    const Sample* sample = findSample(QStringLiteral("bert-large-8x4"));
    if (!sample) throw std::runtime_error("the sample of BERT-large is missing");
    Project project;
    project.name = "BERT-large on " + counted(devices, "GPU");
    project.problem = sample->project->problem;
    Cluster& cluster = project.problem.cluster;
    cluster.name = counted(devices, "GPU") + " of " + cluster.name;
    ClusterPart spare;
    for (int device = devices; device < cluster.deviceCount(); ++device) spare.devices.push_back(device);
    removePart(cluster, spare);
    return project;
}

}  // namespace stagecraft::app::puzzles
