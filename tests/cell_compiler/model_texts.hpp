// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

/// A small Myokit model with everything in it.
inline const std::string decay = R"([[model]]
name: decay
double(x) = 2 * x
membrane.V = -80
gate.m = 0.1
variant_fast: gate.k = 5; gate.m = 0.2

[engine]
time = 0 [ms] in [ms] bind time
pace = 0 bind pace
[membrane]
use stimulus.i_stim as i_s
dot(V) = -(i_l + i_s) / C
    in [mV]
    label membrane_potential
C = 2 [uF/cm^2] : capacitance (of
i_l = g * (V - E) * gate.m
    g = if(V > -60 and not V > 1000,
           0.5, # a comment (with bracket
           double(0.125))
    E = -60
[stimulus]
i_stim = engine.pace * -80
[gate]
use membrane.V
k = 1
dot(m) = a * (1 - m) - b * m
    a = k / (1 + exp(-V / 7))
    b = k - a
)";

inline const std::string cellml_head = R"(<?xml version="1.0"?>
<model name="m" xmlns="http://www.cellml.org/cellml/1.0#" xmlns:cellml="http://www.cellml.org/cellml/1.0#">
<units name="mV"><unit prefix="milli" units="volt"/></units>
<units name="ms"><unit prefix="milli" units="second"/></units>
)";

/// Two components that share V and time, the second in units of its own.
inline std::string cellml(const std::string& unit_of_copy, const std::string& rate)
{
    return cellml_head +
           R"(<component name="env"><variable name="time" units="ms" public_interface="out"/></component>
<component name="membrane"><variable name="time" units="ms" public_interface="in"/>
<variable name="V" units="mV" initial_value="-50" public_interface="out"/>
<variable name="k" units="dimensionless" initial_value="2"/>
<math xmlns="http://www.w3.org/1998/Math/MathML"><apply><eq/>
<apply><diff/><bvar><ci>time</ci></bvar><ci>V</ci></apply>)" +
           rate + R"(</apply></math></component>
<component name="copy"><variable name="V" units=")" +
           unit_of_copy + R"(" public_interface="in"/>
<variable name="time" units="second" public_interface="in"/>
<variable name="y" units="volt" initial_value="1"/>
<math xmlns="http://www.w3.org/1998/Math/MathML"><apply><eq/>
<apply><diff/><bvar><ci>time</ci></bvar><ci>y</ci></apply><ci>V</ci></apply></math></component>
<connection><map_components component_1="env" component_2="membrane"/><map_variables variable_1="time" variable_2="time"/></connection>
<connection><map_components component_1="env" component_2="copy"/><map_variables variable_1="time" variable_2="time"/></connection>
<connection><map_components component_1="membrane" component_2="copy"/><map_variables variable_1="V" variable_2="V"/></connection>
</model>)";
}
inline const std::string minus_kV =
    "<apply><minus/><apply><times/><ci>k</ci><ci>V</ci></apply></apply>";
