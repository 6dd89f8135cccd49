// SPDX-License-Identifier: GPL-3.0-or-later
// Live scalar to colour. Pieces for the fragment shader of VTK's poly data mapper.
// in   liveVSOutput, liveWrapVSOutput, liveFlatVSOutput   value, see live_scalar.vert.glsl
// in   liveMCVSOutput  place [mm]
// in   liveLut         colour map, 256 x 1 texels, sRGB
// in   liveRange       values of the map's ends (low, high)
// in   liveNever       colour of places without a value; the value there is below -1e20
// in   liveIsochrones  1 where lines are drawn at multiples of liveStep, else 0. Software OpenGL walks
//                      through a branch that is not taken, but ends a loop early: hence the loops
// in   liveStep        distance of isochrones, in units of the value
// in   liveCyclic      1 for a phase in (-pi, pi], else 0
// in   liveFlat        1 for numbers of parts, which are not interpolated, else 0
// in   livePlain       1 where no values are shown, but one grey, else 0
// in   liveSpots       how many spots glow; the first is the brush where liveBrush is 1
// in   liveSpot        spots on the wall: centre and radius [mm]
// in   liveSpotGlow    strength of each, 1 fresh to 0 gone
// in   liveBrush       1 where spot 0 shows where the next stimulus would act, else 0
// out  diffuseColor    colour of the tissue before lighting
// out  liveGlow        light that the tissue gives off by itself (stimulus, brush)
//= declarations
in float liveVSOutput;
in float liveWrapVSOutput;
flat in float liveFlatVSOutput;
in vec3 liveMCVSOutput;
uniform sampler2D liveLut;
uniform vec2 liveRange;
uniform vec3 liveNever;
uniform int liveIsochrones;
uniform float liveStep;
uniform int liveCyclic;
uniform int liveFlat;
uniform int livePlain;
uniform int liveSpots;
uniform int liveBrush;
uniform vec4 liveSpot[5];
uniform float liveSpotGlow[5];
//= main
  float liveV = liveVSOutput;
  for (int i = 0; i < liveFlat; ++i)
    liveV = liveFlatVSOutput;
  for (int i = 0; i < liveCyclic; ++i) {
    // of the two the one that does not jump within this triangle
    float back = liveWrapVSOutput > 3.14159265 ? liveWrapVSOutput - 6.28318531 : liveWrapVSOutput;
    liveV = fwidth(liveWrapVSOutput) < fwidth(liveVSOutput) - 1e-4 ? back : liveVSOutput;
  }
  float liveT = (liveV - liveRange.x) / (liveRange.y - liveRange.x);
  // texel centres of the first and last colour lie half a texel inside the texture
  diffuseColor = texture(liveLut, vec2((clamp(liveT, 0.0, 1.0) * 255.0 + 0.5) / 256.0, 0.5)).rgb;
  diffuseColor = liveV < -1e20 ? liveNever : diffuseColor;
  diffuseColor = livePlain > 0 ? vec3(0.62) : diffuseColor;
  ambientColor = vec3(0.0);
  for (int i = 0; i < liveIsochrones; ++i) {
    float lines = liveV / liveStep;
    float wide = max(fwidth(lines), 1e-6);
    float pixels = abs(fract(lines + 0.5) - 0.5) / wide;
    // lines that would stand closer than a few pixels fade
    float ink = (1.0 - smoothstep(0.5, 1.3, pixels)) * (1.0 - smoothstep(0.15, 0.4, wide));
    diffuseColor = mix(diffuseColor, vec3(0.04), liveV < -1e20 ? 0.0 : 0.8 * ink);
  }
  vec3 liveGlow = vec3(0.0), liveFlash = vec3(0.0); // many pulses at one place glow like one
  for (int i = 0; i < liveSpots; ++i) {
    float d = distance(liveMCVSOutput, liveSpot[i].xyz) / liveSpot[i].w;
    if (i < liveBrush) {
      liveGlow += 0.55 * (1.0 - smoothstep(0.03, 0.14, abs(d - 1.0))) * vec3(0.75, 0.95, 1.0);
    } else {
      // a ring that leaves the stimulated ball while it fades
      float age = 1.0 - liveSpotGlow[i];
      float ring = 1.0 - smoothstep(0.0, 0.28, abs(d - 1.0 - 0.9 * age));
      float core = 1.0 - smoothstep(0.7, 1.0, d);
      liveFlash = max(liveFlash, liveSpotGlow[i] * (ring * vec3(0.55, 0.95, 1.0) +
                                                    0.7 * core * vec3(0.7, 0.95, 1.0)));
    }
  }
  liveGlow += liveFlash;
