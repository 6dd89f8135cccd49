// SPDX-License-Identifier: GPL-3.0-or-later
// Action potentials that papers of the library's models print.
#pragma once
#include <array>
#include <string_view>

namespace tawara::verify {

/// Rest and APD90 at 1 Hz of a paper's figures and tables, with what is read off them: the
/// tolerance holds its few beats against ours. A cell begins with the model's initial state.
struct PublishedBeat
{
    const char *model, *variant;
    double amplitude_pA_per_pF; ///< of the pulses, 1 ms long
    double rest_mV, rest_by_mV;
    double apd90_ms, apd90_by_ms;
    double least_upstroke_mV_per_ms;
    const char* paper;
    /// Beats after which it is looked at: M cells of 2011 need minutes to settle.
    int beats() const { return std::string_view(variant) == "mid" ? 60 : 6; }
};

inline constexpr std::array<PublishedBeat, 14> published_beats{{
    // Beeler & Reuter 1977, Fig. 5: rest -84 mV, about 285 ms to rest
    {"beeler_reuter_1977", "", 40, -84, 1.5, 280, 25, 80,
     "Beeler and Reuter, J Physiol 268:177 (1977), Fig. 5"},
    // Luo & Rudy 1991, Table 1 and Fig. 9: rest -84 mV, 360 ms at [K]o 5.4 mM
    {"luo_rudy_1991", "", 40, -84.5, 1.5, 360, 20, 200,
     "Luo and Rudy, Circ Res 68:1501 (1991), Table 1 and Fig. 9"},
    // ten Tusscher & Panfilov 2006, Fig. 2 and the 2004 paper: rest -85 to -86 mV; 303 ms epi
    {"ten_tusscher_2006", "epi", 52, -85.6, 1, 303, 12, 250,
     "ten Tusscher and Panfilov, Am J Physiol Heart Circ Physiol 291:H1088 (2006), Fig. 2"},
    {"ten_tusscher_2006", "m", 52, -85.6, 1, 400, 30, 250,
     "ten Tusscher and Panfilov, Am J Physiol Heart Circ Physiol 291:H1088 (2006), Fig. 2"},
    // Courtemanche 1998: rest -81 mV, upstroke about 190 mV/ms, APD90 close to 300 ms at 1 Hz
    {"courtemanche_1998", "", 40, -81, 1.5, 300, 20, 150,
     "Courtemanche, Ramirez and Nattel, Am J Physiol 275:H301 (1998)"},
    // Courtemanche 1999: remodelling shortens it (no figure is claimed here)
    {"courtemanche_1998", "af", 40, -81, 3, 215, 45, 150,
     "Courtemanche, Ramirez and Nattel, Cardiovasc Res 42:477 (1999)"},
    // O'Hara 2011, Fig. 3 and 6: rest -87.8 mV; endo 270 ms, epi 230, M 340 at cycle 1000 ms
    {"ohara_rudy_2011", "endo", 60, -87.8, 1, 270, 12, 200,
     "O'Hara et al., PLoS Comput Biol 7:e1002061 (2011), Fig. 3 and 6"},
    {"ohara_rudy_2011", "epi", 60, -87.8, 1, 230, 15, 200,
     "O'Hara et al., PLoS Comput Biol 7:e1002061 (2011), Fig. 3 and 6"},
    {"ohara_rudy_2011", "mid", 60, -87.8, 1, 340, 25, 150,
     "O'Hara et al., PLoS Comput Biol 7:e1002061 (2011), Fig. 3 and 6"},
    // Grandi 2010, Table 1 and Fig. 2: rest -81 mV; APD90 near 280 to 300 ms at 1 Hz
    {"grandi_bers_2010", "epi", 40, -81.4, 1, 285, 20, 200,
     "Grandi, Pasqualini and Bers, J Mol Cell Cardiol 48:112 (2010), Table 1 and Fig. 2"},
    {"grandi_bers_2010", "endo", 40, -81.4, 1, 285, 25, 200,
     "Grandi, Pasqualini and Bers, J Mol Cell Cardiol 48:112 (2010), Table 1 and Fig. 2"},
    // Shannon 2004, Fig. 4: rabbit, rest -85.7 mV, about 205 ms at 1 Hz
    {"shannon_bers_2004", "", 40, -85.7, 1, 205, 15, 200,
     "Shannon et al., Biophys J 87:3351 (2004), Fig. 4"},
    // Greenstein 2006, Fig. 4: canine, rest -93 mV, about 300 ms at 1 Hz
    {"greenstein_2006", "", 60, -93.3, 1, 295, 25, 200,
     "Greenstein, Hinch and Winslow, Biophys J 90:77 (2006), Fig. 4"},
    {"greenstein_2006_irvine", "", 60, -93.3, 1, 295, 25, 150,
     "Greenstein, Hinch and Winslow, Biophys J 90:77 (2006), Fig. 4"},
}};

/// Why a model of the library has no row there; of others without one it is said that none is
/// known.
struct WithoutPublishedBeat
{
    const char *model, *reason;
};

inline constexpr std::array<WithoutPublishedBeat, 6> without_published_beat{{
    {"aliev_panfilov_1996",
     "its two variables stand for no membrane current; no value at 1 Hz of its paper is known to "
     "this table"},
    {"fitzhugh_nagumo_1994",
     "its two variables stand for no membrane current; no value at 1 Hz of its paper is known to "
     "this table"},
    {"hodgkin_huxley_1952",
     "the squid's axon at 6.3 degC has spikes, and no APD90 at 1 Hz; cable.squid has its velocity"},
    {"mitchell_schaeffer_2003",
     "its two variables are scaled; no value at 1 Hz of its paper is known to this table"},
    {"ohara_rudy_2011_tissue",
     "no paper has it: another sodium current in the model of 2011 is this program's choice"},
    {"stewart_2009",
     "the Purkinje cell beats by itself; no value at 1 Hz of its paper is known to this table"},
}};

} // namespace tawara::verify
