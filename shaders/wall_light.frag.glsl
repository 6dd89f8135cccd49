// SPDX-License-Identifier: GPL-3.0-or-later
// Light of the scene, fixed to the camera: key from above left, weak fill from the right, sky and ground,
// a rim that lifts the outline off the background, and a subtle highlight like that of wet tissue.
// Takes the place of VTK's own lighting; cheap enough for software OpenGL.
// in   normalVCVSOutput  unit normal in view coordinates, turned towards the viewer
// in   diffuseColor      colour of the tissue, sRGB
// in   liveGlow          light that the tissue gives off by itself
// in   opacity           1 opaque
// out  gl_FragData[0]    colour of the fragment, sRGB
//= main
  vec3 wallN = normalize(normalVCVSOutput);
  float wallKey = max(dot(wallN, vec3(-0.4082, 0.5443, 0.7329)), 0.0);
  float wallFill = max(dot(wallN, vec3(0.7809, -0.1041, 0.6160)), 0.0);
  float wallSky = 0.5 + 0.5 * wallN.y;
  float wallEdge = 1.0 - clamp(wallN.z, 0.0, 1.0);
  float wallLight = 0.44 + 0.13 * wallSky + 0.50 * wallKey + 0.18 * wallFill;
  // half vector of the key light and a viewer straight ahead
  float wallShine = max(dot(wallN, vec3(-0.2192, 0.2924, 0.9308)), 0.0);
  wallShine *= wallShine; // to the 32nd power
  wallShine *= wallShine;
  wallShine *= wallShine;
  wallShine *= wallShine;
  wallShine *= wallShine;
  vec3 wallColor = diffuseColor * wallLight + vec3(0.16, 0.15, 0.14) * wallShine;
  wallColor += wallEdge * wallEdge * wallEdge * (0.10 * diffuseColor + vec3(0.03, 0.045, 0.07));
  gl_FragData[0] = vec4(wallColor + liveGlow, opacity);
