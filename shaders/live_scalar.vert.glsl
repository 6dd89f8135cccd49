// SPDX-License-Identifier: GPL-3.0-or-later
// Carries the live scalar from vertex to fragment. Pieces for the vertex shader of VTK's poly data mapper.
// in   liveValue     value of the vertex, e.g. V [mV]; attribute from a buffer of ours that the host or CUDA writes
// out  liveVSOutput  the same, interpolated over the triangle
// out  liveWrapVSOutput  the same with 2 pi added to negative values: a phase [rad] that does not jump at pi
// out  liveFlatVSOutput  the value of the triangle's last vertex, not interpolated: for numbers of parts
// out  liveMCVSOutput  place of the fragment in model coordinates [mm]
//= declarations
in float liveValue;
out float liveVSOutput;
out float liveWrapVSOutput;
flat out float liveFlatVSOutput;
out vec3 liveMCVSOutput;
//= main
  // not a number: a place without cells; as one without a value
  float liveKnown = liveValue > -1e20 ? liveValue : -1e30;
  liveVSOutput = liveKnown;
  liveWrapVSOutput = liveKnown < 0.0 ? liveKnown + 6.28318531 : liveKnown;
  liveFlatVSOutput = liveKnown;
  liveMCVSOutput = vertexMC.xyz;
