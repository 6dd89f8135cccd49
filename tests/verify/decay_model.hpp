// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tawara::test {

/// V decays from -80 mV with 10 ms.
inline constexpr const char* decay_model =
    R"(<model xmlns="http://www.cellml.org/cellml/1.0#" name="decay">
<units name="ms"><unit units="second" prefix="milli"/></units>
<units name="mV"><unit units="volt" prefix="milli"/></units>
<component name="environment"><variable name="time" units="ms" public_interface="out"/></component>
<component name="membrane"><variable name="time" units="ms" public_interface="in"/>
<variable name="V" units="mV" initial_value="-80"/>
<variable name="tau" units="ms" initial_value="10"/>
<math xmlns="http://www.w3.org/1998/Math/MathML"><apply><eq/>
<apply><diff/><bvar><ci>time</ci></bvar><ci>V</ci></apply>
<apply><divide/><apply><minus/><ci>V</ci></apply><ci>tau</ci></apply></apply></math></component>
<connection><map_components component_1="environment" component_2="membrane"/>
<map_variables variable_1="time" variable_2="time"/></connection></model>)";

} // namespace tawara::test
