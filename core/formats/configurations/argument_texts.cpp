#include "core/formats/configurations/argument_texts.h"

#include "core/base/text_parts.h"
#include "core/formats/configurations/shell_text.h"

#include <yaml.h>

#include <algorithm>
#include <stdexcept>

namespace stagecraft::formats {

namespace {

std::string optionNameOf(std::string name) {
    std::ranges::replace(name, '_', '-');
    return name.starts_with("--") ? name : "--" + name;
}

std::string linePlace(long long line) { return "line " + std::to_string(line); }

bool isRedirection(const std::string& word) {
    return word.starts_with(">") || word.starts_with("1>") || word.starts_with("2>") || word.starts_with("<");
}

/// Scalars of a YAML text by their keys.
class ArgumentYaml {
public:
    ArgumentYaml(std::string_view text, const std::string& file) : file_(file) {
        yaml_parser_initialize(&parser_);
        yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                     text.size());
    }
    ArgumentYaml(const ArgumentYaml&) = delete;
    ArgumentYaml& operator=(const ArgumentYaml&) = delete;
    ~ArgumentYaml() { yaml_parser_delete(&parser_); }

    std::vector<SaidArgument> read() {
        while (take()) {
        }
        return std::move(all_);
    }

private:
    static constexpr std::size_t deepest = 64;
    struct Level {
        bool isMapping = false;
        std::string key;
        int line = 0;
    };

    bool take() {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser_, &event))
            throw InputError(
                file_, linePlace(static_cast<long long>(parser_.problem_mark.line) + 1),
                std::string("this is not YAML: ") + (parser_.problem ? parser_.problem : "it cannot be read"),
                "'name: value' on each line");
        const yaml_event_type_t type = event.type;
        const int line = static_cast<int>(event.start_mark.line) + 1;
        std::string text;
        const bool isPlain = type == YAML_SCALAR_EVENT && event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        if (type == YAML_SCALAR_EVENT)
            text.assign(reinterpret_cast<const char*>(event.data.scalar.value), event.data.scalar.length);
        yaml_event_delete(&event);
        if (type == YAML_MAPPING_START_EVENT || type == YAML_SEQUENCE_START_EVENT)
            open(type == YAML_MAPPING_START_EVENT, line);
        if (type == YAML_MAPPING_END_EVENT || type == YAML_SEQUENCE_END_EVENT) close();
        if (type == YAML_SCALAR_EVENT) scalar(std::move(text), isPlain, line);
        if (type == YAML_ALIAS_EVENT) scalar("", false, line);
        return type != YAML_STREAM_END_EVENT;
    }

    void open(bool isMapping, int line) {
        if (levels_.size() >= deepest)
            throw InputError(file_, linePlace(line), "it is nested more than 64 deep",
                             "fields and their values");
        levels_.push_back({isMapping, {}, line});
    }

    void close() {
        levels_.pop_back();
        if (!levels_.empty() && levels_.back().isMapping) levels_.back().key.clear();
    }

    void scalar(std::string text, bool isPlain, int line) {
        if (levels_.empty()) return;
        Level& level = levels_.back();
        if (level.isMapping && level.key.empty()) {
            level.key = text.empty() ? " " : std::move(text);
            level.line = line;
            return;
        }
        if (level.isMapping) {
            say(level.key, std::move(text), isPlain, level.line);
            level.key.clear();
        } else if (levels_.size() > 1 && levels_[levels_.size() - 2].isMapping) {
            addValue(levels_[levels_.size() - 2], std::move(text));
        }
    }

    void say(const std::string& key, std::string text, bool isPlain, int line) {
        const std::string word = isPlain ? lettersAndDigits(text) : "";
        if (word == "null" || word == "none" || (isPlain && (text.empty() || text == "~"))) return;
        all_.push_back({optionNameOf(key), {}, linePlace(line), word == "false"});
        if (word != "true") all_.back().values.push_back(std::move(text));
    }

    /// Of a list.
    void addValue(const Level& of, std::string text) {
        const std::string name = optionNameOf(of.key);
        if (all_.empty() || all_.back().name != name || all_.back().place != linePlace(of.line))
            all_.push_back({name, {}, linePlace(of.line)});
        all_.back().values.push_back(std::move(text));
    }

    const std::string& file_;
    yaml_parser_t parser_{};
    std::vector<Level> levels_;
    std::vector<SaidArgument> all_;
};

/// A field of Megatron-LM's own configurations (core v0.15, transformer_config.py), and the option that says
/// it.
struct FieldOption {
    const char* field;
    const char* option;
    bool isOpposite = false;
};
constexpr FieldOption fieldOptions[] = {
    {"--add-bias-linear", "--disable-bias-linear", true},
    {"--share-embeddings-and-output-weights", "--untie-embeddings-and-output-weights", true},
    {"--num-moe-experts", "--num-experts"},
    {"--num-layers-in-first-pipeline-stage", "--decoder-first-pipeline-num-layers"},
    {"--num-layers-in-last-pipeline-stage", "--decoder-last-pipeline-num-layers"},
};

bool isTrueField(const std::vector<SaidArgument>& all, const char* name) {
    return std::ranges::any_of(all, [name](const SaidArgument& said) {
        return said.name == name && said.values.empty() && !said.isDenied;
    });
}

/// Activations that are options; "gated_linear_unit" goes with the one that is named beside it.
void nameActivation(std::vector<SaidArgument>& all) {
    const bool isGated = isTrueField(all, "--gated-linear-unit");
    for (SaidArgument& said : all) {
        if (said.name != "--activation-func" || said.values.empty()) continue;
        std::string word = lettersAndDigits(said.values.front());
        for (const char* module : {"torchnnfunctional", "f"})
            if (word.starts_with(module)) word.erase(0, std::string_view(module).size());
        const char* option = word == "swiglu" || (word == "silu" && isGated)       ? "--swiglu"
                             : word == "quickgeglu" || (word == "gelu" && isGated) ? "--quick-geglu"
                             : word == "squaredrelu"                               ? "--squared-relu"
                                                                                   : nullptr;
        if (option) said = {option, {}, said.place};
        // GELU is what there is without an option.
        if (word == "gelu" && !isGated) said = {"--swiglu", {}, said.place, true};
    }
    const bool isNamed = std::ranges::any_of(all, [](const SaidArgument& said) {
        return said.name == "--swiglu" || said.name == "--quick-geglu";
    });
    std::erase_if(all, [isNamed](const SaidArgument& said) {
        return said.name == "--gated-linear-unit" && (said.isDenied || isNamed);
    });
    for (SaidArgument& said : all)
        if (said.name == "--gated-linear-unit") said = {"--quick-geglu", {}, said.place};
}

void nameOptions(std::vector<SaidArgument>& all) {
    nameActivation(all);
    for (SaidArgument& said : all)
        for (const FieldOption& each : fieldOptions) {
            if (said.name != each.field) continue;
            said.name = each.option;
            if (each.isOpposite) said = {each.option, {}, said.place, !said.isDenied};
        }
}

}  // namespace

std::vector<SaidArgument> argumentsOfShell(std::string_view text, const std::string& file,
                                           std::vector<ConfigurationItem>& gaps) {
    ShellCommand command;
    try {
        command = shellCommandIn(text);
    } catch (const std::length_error& error) {
        throw InputError(file, "", error.what(), "options, or a script that has them");
    }
    for (const ShellGap& gap : command.gaps)
        gaps.push_back({ItemKind::unknown, "shell", linePlace(gap.line), gap.why});
    std::vector<SaidArgument> all;
    for (const ShellWord& word : command.words) {
        const bool isOption = word.text.size() > 2 && word.text.starts_with("--");
        if (isOption) {
            const std::size_t equals = word.text.find('=');
            all.push_back({optionNameOf(word.text.substr(0, equals)), {}, linePlace(word.line)});
            if (equals != std::string::npos) all.back().values.push_back(word.text.substr(equals + 1));
        } else if (!all.empty() && !word.text.ends_with(".py") && !isRedirection(word.text)) {
            all.back().values.push_back(word.text);
        }
    }
    return all;
}

std::vector<SaidArgument> argumentsOfYaml(std::string_view text, const std::string& file) {
    std::vector<SaidArgument> all = ArgumentYaml(text, file).read();
    nameOptions(all);
    return all;
}

}  // namespace stagecraft::formats
