#include "app/profile/model_questions.h"

#include "core/onnx/onnx_profile.h"

namespace stagecraft::app::profile {
namespace {

constexpr int largest = 1 << 24;

std::vector<Parameter> onnxParameters(const std::vector<OpenDimension>& open) {
    std::vector<std::string> gpus;
    for (const Gpu& gpu : gpuCatalogue()) gpus.push_back(gpu.name);
    std::vector<Parameter> questions = {
        {"gpu", "GPU", "for which times are worked out", std::string("V100-SXM2-16GB"), 0, 0, gpus},
        {"precision", "Precision", "of products, convolutions and what is stored",
         std::string(nameOf(precisionNames, Precision::fp32)), 0, 0, allNames(precisionNames)}};
    for (const OpenDimension& dimension : open) {
        const std::string label =
            dimension.isBatch ? "Samples in a microbatch (" + dimension.name + ")" : dimension.name;
        questions.push_back({dimension.name, label, dimension.where + ", which the model leaves open",
                             dimension.isBatch ? 1 : 0, 0, largest});
    }
    return questions;
}

OnnxOptions onnxOptions(const ParameterValues& answers, const std::vector<OpenDimension>& open) {
    OnnxOptions options;
    options.gpu = *findGpu(std::get<std::string>(answers.at("gpu")));
    options.analytic.precision = *findByName(precisionNames, std::get<std::string>(answers.at("precision")));
    options.analytic.microbatchSize = 0;
    for (const OpenDimension& dimension : open)
        if (const int size = std::get<int>(answers.at(dimension.name)); size > 0) {
            options.dimensions[dimension.name] = size;
            if (dimension.isBatch) options.analytic.microbatchSize = size;
        }
    return options;
}

}  // namespace

ModelQuestions questionsAbout(const OpenedOnnx& model, const std::string& file) {
    return {"ONNX model", onnxParameters(model.open), [model, file](const ParameterValues& answers) {
                return readOnnx(*model.bytes, file, onnxOptions(answers, model.open));
            }};
}

ModelQuestions questionsAbout(const OpenedModel& model, const std::string& file) {
    return {model.file->described.model.title, describedParameters(model.file->described),
            [model, file](const ParameterValues& answers) {
                ProfileImportOptions options;
                options.described = answers;
                return profileOfModel(*model.file, file, options);
            }};
}

}  // namespace stagecraft::app::profile
