#include "profiler_views/timeline/evaluation_stages.h"

namespace kw::profiler_views {

std::vector<timeline::Stage> stages_of(const pipeline::Evaluation& evaluation) {
    std::vector<timeline::Stage> stages;
    const auto add = [&](const char* name, double milliseconds) {
        if (milliseconds > 0) stages.push_back({name, milliseconds});
    };
    add("compile", evaluation.compile.milliseconds);
    if (evaluation.verify) add("verify", evaluation.verify->milliseconds);
    if (evaluation.bench) add("bench", evaluation.bench->milliseconds);
    if (evaluation.profile && evaluation.profile->is_object()) {
        const auto ms = evaluation.profile->find("ms");
        if (ms != evaluation.profile->end() && ms->is_number()) add("profile", ms->get<double>());
    }
    return stages;
}

} // namespace kw::profiler_views
