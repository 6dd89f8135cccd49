// SPDX-License-Identifier: GPL-3.0-or-later
// Live scalar to colour. Pieces for the fragment shader of VTK's poly data mapper.
// in   liveVSOutput    value [mV]
// in   liveMCVSOutput  place [mm]
// in   liveLut         colour map, 256 x 1 texels, sRGB
// in   liveRange       values of the map's ends (low, high) [mV]
// in   liveSpots       how many spots glow; the first is the brush where liveBrush is 1. Software OpenGL
//                      walks through a branch that is not taken, but ends a loop early
// in   liveSpot        spots on the wall: centre and radius [mm]
// in   liveSpotGlow    strength of each, 1 fresh to 0 gone
// in   liveBrush       1 where spot 0 shows where the next stimulus would act, else 0
// out  diffuseColor    colour of the tissue before lighting
// out  liveGlow        light that the tissue gives off by itself (stimulus, brush)
//= declarations
in float liveVSOutput;
in vec3 liveMCVSOutput;
uniform sampler2D liveLut;
uniform vec2 liveRange;
uniform int liveSpots;
uniform int liveBrush;
uniform vec4 liveSpot[5];
uniform float liveSpotGlow[5];
//= main
  float liveT = (liveVSOutput - liveRange.x) / (liveRange.y - liveRange.x);
  // texel centres of the first and last colour lie half a texel inside the texture
  diffuseColor = texture(liveLut, vec2((clamp(liveT, 0.0, 1.0) * 255.0 + 0.5) / 256.0, 0.5)).rgb;
  ambientColor = vec3(0.0);
  vec3 liveGlow = vec3(0.0);
  for (int i = 0; i < liveSpots; ++i) {
    float d = distance(liveMCVSOutput, liveSpot[i].xyz) / liveSpot[i].w;
    if (i < liveBrush) {
      liveGlow += 0.55 * (1.0 - smoothstep(0.03, 0.14, abs(d - 1.0))) * vec3(0.75, 0.95, 1.0);
    } else {
      // a ring that leaves the stimulated ball while it fades
      float age = 1.0 - liveSpotGlow[i];
      float ring = 1.0 - smoothstep(0.0, 0.28, abs(d - 1.0 - 0.9 * age));
      float core = 1.0 - smoothstep(0.7, 1.0, d);
      liveGlow += liveSpotGlow[i] * (ring * vec3(0.55, 0.95, 1.0) + 0.7 * core * vec3(0.7, 0.95, 1.0));
    }
  }
