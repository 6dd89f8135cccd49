// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-bench-collections DATA : what every file of the collections of cell models unpacked in
// DATA (cellml/, mmt/, cellml_reference/) comes to, as one JSON record on standard output.
#include "tests/bench/built_from.hpp"
#include "tests/bench/compact_json.hpp"
#include "tests/cell_compiler/collections.hpp"

#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

using namespace tawara::cell::compiler;
using nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

/// The reason without what is particular to the file: names in quotes, numbers, paths.
std::string kind_of(const std::string& reason, const fs::path& root)
{
    std::string t = reason;
    if (const auto at = t.rfind(root.string()); at != std::string::npos)
        t.erase(0, t.find(": ", at) + 2);
    std::string out;
    bool quoted = false;
    for (std::size_t i = 0; i < t.size(); ++i) {
        const bool word = i > 0 && std::isalpha(static_cast<unsigned char>(t[i - 1])) &&
                          i + 1 < t.size() && std::isalpha(static_cast<unsigned char>(t[i + 1]));
        if (t[i] == '\'' && !word) {
            quoted = !quoted;
            out += quoted ? "'" : "...'";
        } else if (!quoted)
            out += t[i];
    }
    return out.substr(0, out.find(';'));
}

double rounded(double x)
{
    return std::isfinite(x) ? std::round(x * 1e5) / 1e5 : -1;
}

ordered_json collection(const fs::path& root, const std::string& name)
{
    std::map<std::string, int> reasons;
    int read = 0, paced = 0, stepped = 0, refused = 0, excited = 0;
    ordered_json left = ordered_json::array(), models = ordered_json::array();
    for (const auto& file : model_files(root / name)) {
        const Outcome o = try_model(file, true);
        if (!o.read) {
            ++refused;
            ++reasons[kind_of(o.reason, root)];
            continue;
        }
        ++read;
        const bool ok = o.paced && o.rrms_percent < 5;
        paced += o.paced;
        stepped += ok;
        excited += o.highest_mV > o.lowest_mV + 50;
        const std::string relative = fs::relative(file, root / name).string();
        if (!ok)
            left.push_back({{"file", relative}, {"reason", o.reason}});
        models.push_back({relative, o.states, std::string(tawara::cell::name(o.scheme)), o.dt_ms,
                          rounded(o.rrms_percent), rounded(o.lowest_mV), rounded(o.highest_mV)});
    }
    ordered_json j{
        {"files", read + refused}, {"read", read},       {"paced", paced}, {"stepped", stepped},
        {"excited", excited},      {"refused", refused}, {"left", left}};
    j["refused_because"] = reasons;
    j["models"] = {
        {"columns",
         {"file", "states", "scheme", "dt_ms", "rrms_percent", "lowest_mV", "highest_mV"}},
        {"rows", models}};
    return j;
}

ordered_json traces(const fs::path& root)
{
    ordered_json j;
    j["what"] = "all states every 1 ms for one second, as their files stand, CVODE here; largest "
                "difference of V in mV, RRMS of V, and of all states the largest difference over "
                "the state's range and the largest RRMS, per cent";
    for (const auto& e : fs::directory_iterator(root / "cellml_reference")) {
        const fs::path table = e.path() / "GraphState/outputs_state.csv";
        if (!fs::exists(table))
            continue;
        const std::string name = e.path().filename().string();
        const auto model = root / "cellml/chaste" / (name + ".cellml");
        for (const double tolerance : {1e-8, 1e-6}) {
            const auto c = compare_traces(model, table, name.rfind("paci_", 0) != 0, tolerance);
            j["models"][name][tolerance < 1e-7 ? "cvode_1e-8" : "cvode_1e-6"] = {
                {"states", c.states},
                {"matched", c.matched},
                {"V_largest_mV", rounded(c.potential_mV)},
                {"V_rrms_percent", rounded(c.potential_percent)},
                {"largest_percent", rounded(c.worst_percent)},
                {"of_state", c.worst_state},
                {"largest_rrms_percent", rounded(c.worst_rrms_percent)},
                {"rrms_of_state", c.worst_rrms_state}};
        }
    }
    return j;
}

/// What all collections below `root` come to, and the traces computed by others.
ordered_json record_of(const fs::path& root)
{
    ordered_json j;
    j["schema"] = 1;
    j["what"] =
        "cell models of the collections: read, compiled for the CPU and paced (CVODE, 1e-7) "
        "for 400 ms by one stimulus of 60 pA/pF for 1 ms; stepped: by Rush-Larsen or GRL1 "
        "at 0.005 or 0.001 ms within 5 % of it (RRMS of V; -1: not finite); left: read, "
        "and not both";
    j["commit"] = tawara::bench::built_from;
    for (const char* name :
         {"cellml/chaste", "cellml/cellmlmanip-tests", "cellml/cellmltoolkit-1.1-imports",
          "cellml/libcellml-2.0", "mmt/myokit-models", "mmt/myokit-tests"})
        j["collections"][name] = collection(root, name);
    j["traces_of_others"] = traces(root);
    return j;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::cerr << "error: give the folder with cellml, mmt and cellml_reference unpacked\n";
        return 2;
    }
    try {
        tawara::bench::write_compact(std::cout, record_of(argv[1]));
        std::cout << std::endl;
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << '\n';
        return 2;
    }
}
