// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/simulation/observe/torso.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace tawara::simulation {

/// I, II, III (Einthoven), aVR, aVL, aVF (Goldberger), V1 .. V6 (against Wilson's central terminal)
/// as weights of RA, LA, LL, V1 .. V6.
std::vector<Lead> twelve_leads();

/// Leads that a session's settings come to: those of a list; without leads each electrode's own
/// potential, by its name; of kind twelve_lead the twelve, then a unipolar lead of each electrode
/// that is none of theirs, against Wilson's central terminal,
///
///     phi(electrode) - (phi(RA) + phi(LA) + phi(LL)) / 3,
///
/// named as the electrode is; "aVR (electrode)" where one of the twelve has that name.
std::vector<Lead> leads_of(const std::vector<Electrode>& electrodes, const Leads& leads);

/// How many of a list of leads follow the twelve, by their names: those of own electrodes, which
/// may stand much nearer to the heart. 0 where the list does not begin with the twelve.
std::size_t own_leads(const std::vector<std::string>& names);

/// Electrodes and leads that a session's settings come to on a mesh: leads_of(), with what is
/// missing of 12 leads placed.
struct EcgLayout
{
    std::vector<Electrode> electrodes;
    std::vector<Lead> leads;
    std::optional<TorsoFrame> torso; ///< around the heart; none: the conductor has no end
    std::vector<std::string> names() const;
    /// Index of the lead of `other` that is the same as a lead of this: by name and weights, of
    /// electrodes at the same places.
    std::optional<std::size_t> same_lead(std::size_t lead, const EcgLayout& other) const;
    /// Whether both have the same leads in the same order; other electrodes do not count.
    bool same_leads(const EcgLayout& other) const;
};
/// Electrodes that no lead is of: those that the leads of a list do not name.
std::vector<std::string> electrodes_without_lead(const std::vector<Electrode>& electrodes,
                                                 const Leads& leads);
/// Which electrodes of 12 leads the program places: a warning where the session gives electrodes of
/// its own, else a note. None where the session gives all of them, or has other leads.
Notices placed_electrodes_notice(const std::vector<Electrode>& electrodes, const Leads& leads);
/// The same with what a torso changes: electrodes outside of it, a torso that was made larger. Says
/// nothing where ecg_layout() throws.
Notices ecg_notices(const Tissue& t, const std::vector<Electrode>& electrodes, const Leads& leads,
                    const std::string& file);
/// @throws InputError  when an electrode lies in the tissue, two have the same name, or the name of
///                     one is nearly that of an electrode that 12 leads lack
EcgLayout ecg_layout(const Tissue& t, const std::vector<Electrode>& electrodes, const Leads& leads,
                     const std::string& file);

/// Leads as weights of the electrodes' potentials: those of the electrodes that a lead names.
class LeadWeights
{
  public:
    LeadWeights() = default;
    explicit LeadWeights(const EcgLayout& layout);
    std::size_t size() const { return first_.size() - 1; } ///< leads
    std::size_t entries() const { return electrode_.size(); }
    /// Potential of a lead [mV], of those at all of the layout's electrodes, which are added in
    /// their order.
    double of(std::size_t lead, std::span<const double> potential_mV) const;

  private:
    std::vector<std::size_t> first_{0}; ///< entries of a lead begin there; their number at the end
    std::vector<std::size_t> electrode_;
    std::vector<double> weight_;
};

/// The electrocardiogram as weights of unknowns (analysis/lead_field.hpp; in a torso
/// analysis/torso_lead_field.hpp).
class EcgField
{
  public:
    EcgField() = default;
    /// @param patches  their `source` is the conductivity of each tetrahedron's region: what is
    ///                 given for it (intracellular), else that of the monodomain, which is smaller
    ///                 in tissue, and raised on a coarse mesh
    EcgField(const mesh::TetMesh& m, const mesh::VertexStars& stars, bool on_vertices,
             const RegionMap& patches, EcgLayout layout, double bath_S_per_m,
             const Progress& progress = {});

    const EcgLayout& layout() const { return layout_; }
    bool empty() const { return layout_.leads.empty(); }
    /// Potential of each lead [mV] for V [mV] per unknown.
    /// @cost  one pass over V per electrode
    std::vector<float> leads(std::span<const double> v) const;

  private:
    EcgLayout layout_;
    std::vector<std::vector<float>> weights_; ///< [electrode][unknown]
    LeadWeights mix_;
};

/// The conductivity tensors [S/m] of the tetrahedra as sources of an electrocardiogram.
std::vector<std::array<double, 6>> source_conductivities(const mesh::TetMesh& m,
                                                         const RegionMap& patches);

/// What V at each vertex adds to the potential at each electrode: weights [electrode][vertex].
/// @param sigma  of source_conductivities()
/// @cost  a pass over the tetrahedra for each electrode; in a torso a solution for each
std::vector<std::vector<double>> lead_fields(const mesh::TetMesh& m,
                                             std::span<const std::array<double, 6>> sigma,
                                             const EcgLayout& layout, double bath_S_per_m,
                                             const Progress& progress);

} // namespace tawara::simulation
