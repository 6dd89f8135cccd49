// SPDX-License-Identifier: GPL-3.0-or-later
// Layers of a translucent surface, the two nearest to the viewer. Each pass draws all of its triangles and
// keeps the fragments of one layer.
// in   livePass     0 finds the depth of the nearest layer, 1 that of the next one; 2 draws the next one,
//                   3 the nearest
// in   liveFirst    depth of the nearest layer, a texel per pixel; from pass 1 on
// in   liveSecond   depth of the next one; in pass 2
// The depth of a fragment is that of its pixel's centre, which may lie outside its triangle: a neighbour
// counts to the same layer as long as the depth differs by what a triangle's slope makes within a pixel.
//= declarations
uniform int livePass;
uniform sampler2D liveFirst;
uniform sampler2D liveSecond;
//= main
  ivec2 livePixel = ivec2(gl_FragCoord.xy);
  float liveSlack = fwidth(gl_FragCoord.z) + 2e-7;
  if (livePass > 0) {
    bool first = gl_FragCoord.z <= texelFetch(liveFirst, livePixel, 0).r + liveSlack;
    if (first != (livePass == 3))
      discard;
  }
  if (livePass == 2 && gl_FragCoord.z > texelFetch(liveSecond, livePixel, 0).r + liveSlack)
    discard;
