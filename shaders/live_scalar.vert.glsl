// SPDX-License-Identifier: GPL-3.0-or-later
// Carries the live scalar from vertex to fragment. Pieces for the vertex shader of VTK's poly data mapper.
// in   liveValue     value of the vertex, e.g. V [mV]; attribute from a buffer of ours that the host or CUDA writes
// out  liveVSOutput  the same, interpolated over the triangle [mV]
// out  liveMCVSOutput  place of the fragment in model coordinates [mm]
//= declarations
in float liveValue;
out float liveVSOutput;
out vec3 liveMCVSOutput;
//= main
  liveVSOutput = liveValue;
  liveMCVSOutput = vertexMC.xyz;
