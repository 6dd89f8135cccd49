// SPDX-License-Identifier: GPL-3.0-or-later
// Live scalar to colour. Pieces for the fragment shader of VTK's poly data mapper.
// in   liveVSOutput    value [mV]
// in   liveMCVSOutput  place [mm]
// in   liveLut         colour map, 256 x 1 texels, sRGB
// in   liveRange       values of the map's ends (low, high) [mV]
// in   liveFlash       stimuli that were just given: centre [mm] and radius [mm]; radius 0: none
// in   liveFlashGlow   their strength, 1 fresh to 0 gone
// in   liveBrush       where the next stimulus would act: centre and radius [mm]; radius 0: none
// out  diffuseColor    colour of the tissue before lighting
// out  liveGlow        light that the tissue gives off by itself (stimulus, brush)
//= declarations
in float liveVSOutput;
in vec3 liveMCVSOutput;
uniform sampler2D liveLut;
uniform vec2 liveRange;
uniform vec4 liveFlash[4];
uniform float liveFlashGlow[4];
uniform vec4 liveBrush;
//= main
  float liveT = (liveVSOutput - liveRange.x) / (liveRange.y - liveRange.x);
  // texel centres of the first and last colour lie half a texel inside the texture
  diffuseColor = texture(liveLut, vec2((clamp(liveT, 0.0, 1.0) * 255.0 + 0.5) / 256.0, 0.5)).rgb;
  ambientColor = vec3(0.0);
  vec3 liveGlow = vec3(0.0);
  for (int i = 0; i < 4; ++i) {
    if (liveFlashGlow[i] > 0.0) {
      // a ring that leaves the stimulated ball while it fades
      float d = distance(liveMCVSOutput, liveFlash[i].xyz) / liveFlash[i].w;
      float age = 1.0 - liveFlashGlow[i];
      float ring = 1.0 - smoothstep(0.0, 0.28, abs(d - 1.0 - 0.9 * age));
      float core = 1.0 - smoothstep(0.7, 1.0, d);
      liveGlow += liveFlashGlow[i] * (ring * vec3(0.55, 0.95, 1.0) + 0.7 * core * vec3(0.7, 0.95, 1.0));
    }
  }
  if (liveBrush.w > 0.0) {
    float d = distance(liveMCVSOutput, liveBrush.xyz) / liveBrush.w;
    liveGlow += 0.55 * (1.0 - smoothstep(0.03, 0.14, abs(d - 1.0))) * vec3(0.75, 0.95, 1.0);
  }
