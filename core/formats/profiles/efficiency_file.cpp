#include "core/formats/profiles/efficiency_file.h"

#include "core/base/text_parts.h"
#include "core/formats/json_reader.h"
#include "core/formats/text_file.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::formats {

namespace {

constexpr double mostShare = 4;  // attention counts twice what it computes; no rate is far beyond its peak

/// "b=1, m=4096, layout=TN" as names and values.
class ShapeWords {
public:
    ShapeWords(const std::string& text, JsonValue at) : text_(text), at_(std::move(at)) {
        for (const std::string_view part : cellsOf(text_, ',')) {
            const std::size_t equals = part.find('=');
            if (equals != std::string_view::npos)
                words_[std::string(trimmed(part.substr(0, equals)))] = trimmed(part.substr(equals + 1));
        }
    }

    const std::string& word(const char* name) const {
        const auto found = words_.find(name);
        if (found == words_.end()) at_.fail("its shape has no " + std::string(name), "a shape that has it");
        return found->second;
    }
    long long size(const char* name) const {
        const std::optional<int> size = wholeInteger(word(name));
        if (!size || *size < 1)
            at_.fail(std::string(name) + " is '" + word(name).substr(0, 40) + "'", "a whole number from 1");
        return *size;
    }
    /// The pass that a word stands for.
    OperationPass pass(const char* name, const std::map<std::string, OperationPass>& passes) const {
        const auto found = passes.find(word(name));
        if (found != passes.end()) return found->second;
        std::vector<std::string> known;
        for (const auto& [each, unused] : passes) known.push_back(each);
        at_.fail(std::string(name) + " is '" + word(name).substr(0, 40) + "'", joinNames(known, ", "));
    }
    void require(const char* name, const std::string& value) const {
        if (word(name) != value)
            at_.fail(std::string(name) + " is '" + word(name).substr(0, 40) + "'", value);
    }

private:
    std::string text_;
    JsonValue at_;
    std::map<std::string, std::string> words_;
};

double shareIn(const JsonValue& value) {
    const double share = value.positive();
    if (share > mostShare) value.fail("a share of " + std::to_string(share), "at most 4");
    return share;
}

/// What one operation of a system says.
struct OperationTable {
    double flops = 0, share = 0;
    std::vector<std::pair<ShapeWords, double>> shapes;
};

OperationTable tableOf(const JsonValue& value) {
    const JsonObject object(value, {"tflops", "efficient_factor", "accurate_efficient_factor"});
    OperationTable table;
    table.flops = object.required("tflops").positive() * 1e12;
    table.share = shareIn(object.required("efficient_factor"));
    if (const auto shapes = object.optional("accurate_efficient_factor"))
        for (const std::string& shape : shapes->fieldNames())
            table.shapes.emplace_back(ShapeWords(shape, shapes->member(shape)),
                                      shareIn(shapes->member(shape)));
    return table;
}

void readProducts(const OperationTable& table, double scale, MeasuredEfficiencies& measured) {
    static const std::map<std::string, OperationPass> layouts = {{"TN", OperationPass::forward},
                                                                 {"NN", OperationPass::inputGradient},
                                                                 {"NT", OperationPass::weightGradient}};
    measured.productShare = table.share * scale;
    for (const auto& [words, share] : table.shapes) {
        words.require("b", "1");
        const OperationPass pass = words.pass("layout", layouts);
        const std::pair key{pass, ProductShape{words.size("m"), words.size("k"), words.size("n")}};
        // Gradients are added up in fp32.
        const bool isBest = pass != OperationPass::weightGradient || words.word("out_dtype") == "fp32";
        if (isBest)
            measured.products[key] = share * scale;
        else
            measured.products.emplace(key, share * scale);
    }
}

void readGroups(const OperationTable& table, double scale, MeasuredEfficiencies& measured) {
    static const std::map<std::string, OperationPass> stages = {
        {"fwd", OperationPass::forward},
        {"bwd_grad_act", OperationPass::inputGradient},
        {"bwd_grad_w", OperationPass::weightGradient}};
    measured.groupShare = table.share * scale;
    for (const auto& [words, share] : table.shapes) {
        const std::pair key{
            words.pass("stage", stages),
            GroupedShape{words.size("ng"), {words.size("M"), words.size("K"), words.size("N")}}};
        // Gradients are added up in fp32.
        if (words.word("main_grad_dtype") == "fp32")
            measured.groups[key] = share * scale;
        else
            measured.groups.emplace(key, share * scale);
    }
}

void readAttention(const OperationTable& table, OperationPass pass, double scale,
                   MeasuredEfficiencies& measured) {
    for (const auto& [words, share] : table.shapes) {
        const std::pair key{pass, AttentionShape{words.size("batch"), words.size("seq_len"),
                                                 words.size("head_num"), words.size("kv_head_num"),
                                                 words.size("qk_head_dim"), words.size("v_head_dim")}};
        // Queries, keys and values of one projection lie side by side.
        if (words.word("qkv_contiguous") == "True")
            measured.attention[key] = share * scale;
        else
            measured.attention.emplace(key, share * scale);
    }
}

void readMemory(const JsonValue& bandwidth, MeasuredEfficiencies& measured) {
    constexpr double gib = 1024.0 * 1024 * 1024;  // SimuMax counts so
    const JsonObject kinds(bandwidth, bandwidth.fieldNames());
    const std::vector<std::string> fields = {"efficient_factor", "gbps", "latency_us"};
    // Older files have one for all operations.
    const JsonObject usual(kinds.optional("gbps") ? bandwidth : kinds.required("default"), fields);
    measured.memoryBps = usual.required("gbps").positive() * gib;
    measured.memoryShare = shareIn(usual.required("efficient_factor"));
    measured.memoryLatencyS = usual.nonNegativeOr("latency_us", 0) / 1e6;
    measured.lossShare = measured.memoryShare;
    measured.reorderShare = measured.memoryShare;
    const auto readShare = [&](const char* kind, double& share) {
        const auto found = kinds.optional(kind);
        if (!found) return;
        const JsonObject own(*found, fields);
        share = shareIn(own.required("efficient_factor")) * own.required("gbps").positive() * gib /
                measured.memoryBps;
    };
    // The loss of one kernel where it was measured, else of several.
    for (const char* kind : {"ce", "ce_fusion"}) readShare(kind, measured.lossShare);
    readShare("permute_fwd", measured.reorderShare);
}

}  // namespace

MeasuredEfficiencies readEfficiencies(std::string_view text, const std::string& file) {
    const nlohmann::json document = parseJson(text, file);
    const JsonValue root(document, file);
    const JsonObject system(root, root.isObject() ? root.fieldNames() : std::vector<std::string>{});
    const JsonValue accelerator = system.required("accelerator");
    const JsonObject parts(accelerator,
                           accelerator.isObject() ? accelerator.fieldNames() : std::vector<std::string>{});
    MeasuredEfficiencies measured;
    measured.name = system.textOr("sys_name", file).substr(0, 80);
    const JsonValue operations = parts.required("op");
    const JsonObject tables(operations, operations.fieldNames());
    const OperationTable products = tableOf(tables.required("matmul"));
    // All shares are of the peak of products.
    measured.peakFlops = products.flops;
    readProducts(products, 1, measured);
    // What was not measured reaches as much as products do; shares of attention count twice what it computes.
    measured.groupShare = measured.productShare;
    measured.attentionShare = measured.attentionBackwardShare = 2 * measured.productShare;
    const auto other = [&](const char* name, const auto& read) {
        const auto found = tables.optional(name);
        if (!found) return;
        const OperationTable table = tableOf(*found);
        read(table, table.flops / measured.peakFlops);
    };
    other("group_matmul",
          [&](const OperationTable& table, double scale) { readGroups(table, scale, measured); });
    other("sdp_fwd", [&](const OperationTable& table, double scale) {
        measured.attentionShare = table.share * scale;
        readAttention(table, OperationPass::forward, scale, measured);
    });
    other("sdp_bwd", [&](const OperationTable& table, double scale) {
        measured.attentionBackwardShare = table.share * scale;
        readAttention(table, OperationPass::inputGradient, scale, measured);
    });
    readMemory(parts.required("bandwidth"), measured);
    return measured;
}

MeasuredEfficiencies readEfficiencyFile(const std::string& path) {
    return readEfficiencies(readTextFile(path), path);
}

}  // namespace stagecraft::formats
