// SPDX-License-Identifier: GPL-3.0-or-later
// What the key `population` of a study asks for.
#pragma once
#include "engine/simulation/session/session.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tawara::study {

/// How the factor on a conductance differs from member to member.
struct Vary
{
    enum class Kind {
        range,     ///< even between low and high
        log_range, ///< its logarithm is
        lognormal  ///< exp(sd z) with a normal z: its median is 1
    };
    std::string parameter; ///< as factors of a session's drugs name it: "g_Kr"
    Kind kind = Kind::range;
    double low = 1, high = 1, sd = 0;
};

/// A result that a member has to have between two limits.
struct Limits
{
    std::string result; ///< as results.csv names it: "apd90_ms.median"
    double low = 0, high = 0;
};
using Calibration = std::vector<Limits>;

/// Members that differ by factors on conductances.
struct Population
{
    static constexpr int most = 100'000;
    static constexpr std::size_t most_factors = 10'000'000; ///< of all members
    int size = 0;
    std::int64_t seed = 1;
    bool latin_hypercube = true; ///< else independent
    std::vector<Vary> vary;
    Calibration calibrate;
    std::vector<double> factors; ///< [member][parameter]
};

/// Reads a study's `population`, strictly, and draws the members. @throws InputError
Population read_population(const std::filesystem::path& file, const nlohmann::ordered_json& o);

/// Factors of all members, [member][parameter]. The number u in (0, 1) that a factor is made of
/// is random by seed, parameter's name and member (core/random.hpp); of a Latin hypercube there
/// is one in each of `size` equal parts of (0, 1), in an order that is random by seed and name. So
/// a further parameter leaves the others as they are, and without a hypercube further members do.
/// @cost  linear in both
std::vector<double> sampled_factors(const Population& p);

/// The value of which the normal distribution lies below by u. @pre 0 < u < 1
double normal_quantile(double u);

/// A member as factors that a session's drugs have.
simulation::Drug member_of(const Population& p, std::size_t member);
/// What a run's results say of its member: "population.factor.g_Kr", ..
std::map<std::string, double> member_results(const Population& p, std::size_t member);

/// JSON of limits as the study has them, and back.
std::string to_text(const Calibration& c);
Calibration calibration_of(const std::string& text);
/// Whether results are within all limits; a missing one is not.
bool within(const Calibration& c, const std::map<std::string, double>& results);

/// Among what runs differ by.
inline constexpr const char* member_path = "population.member";

} // namespace tawara::study
