#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Niederer et al. 2011 (Phil. Trans. R. Soc. A 369:4331): activation times at the nine points, by tawara-cli run.
#
#   [END_MS=80] [STEPPING=explicit] [CURRENTS=nodal] [DEVICES=cpu] niederer.sh TAWARA-CLI RECORD.json DX_MM DT_MS SCHEME [MASS] [PRECISION]
#
# Prints a table row and adds it to RECORD.json (an array of runs, made when it is not there).
set -euo pipefail
cli=$1 record=$2 dx=$3 dt=$4 scheme=$5 mass=${6:-lumped} precision=${7:-double}
end=${END_MS:-80} stepping=${STEPPING:-explicit} currents=${CURRENTS:-nodal}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat > "$work/slab.json" <<JSON
{"schema": 1, "name": "Niederer 2011, $scheme $mass, dx $dx mm, dt $dt ms",
 "mesh": {"slab_mm": [20, 7, 3], "spacing_mm": $dx},
 "tissue": {"surface_to_volume_per_mm": 140, "capacitance_uF_per_cm2": 1.0,
  "regions": [{"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
   "conductivity_S_per_m": {"fibre": 0.13341772, "sheet": 0.01760618, "normal": 0.01760618}}]},
 "diffusion": {"scheme": "$scheme", "mass": "$mass", "currents": "$currents", "splitting": "godunov", "stepping": "$stepping"},
 "reaction": {"scheme": "rush_larsen_light"},
 "time": {"dt_ms": $dt, "end_ms": $end},
 "stimuli": [{"name": "corner", "region": {"box_mm": [[0, 0, 0], [1.5, 1.5, 1.5]]},
  "start_ms": 0, "duration_ms": 2, "amplitude_uA_per_cm3": 50000, "period_ms": 0, "count": 1}],
 "probes": [
  {"name": "P1", "position_mm": [0, 0, 0]}, {"name": "P2", "position_mm": [0, 7, 0]},
  {"name": "P3", "position_mm": [20, 0, 0]}, {"name": "P4", "position_mm": [20, 7, 0]},
  {"name": "P5", "position_mm": [0, 0, 3]}, {"name": "P6", "position_mm": [0, 7, 3]},
  {"name": "P7", "position_mm": [20, 0, 3]}, {"name": "P8", "position_mm": [20, 7, 3]},
  {"name": "P9", "position_mm": [10, 3.5, 1.5]}],
 "output": {"activation_threshold_mV": 0, "frames_every_ms": 0, "frames": "none", "checkpoint_every_ms": 0}}
JSON
[ "$scheme" = p1 ] || sed -i 's/"mass": "[a-z]*", "currents": "[a-z]*", //' "$work/slab.json"

"$cli" run "$work/slab.json" --out "$work/out" --precision "$precision" --devices "${DEVICES:-cpu}" >&2

# First upward crossing of 0 mV in each column, linear between samples.
times=$(awk -F, 'NR > 1 { for (c = 2; c <= NF; ++c) {
    if (NR > 2 && !(c in t) && last[c] < 0 && $c >= 0) t[c] = time + ($1 - time) * last[c] / (last[c] - $c)
    last[c] = $c }
    time = $1 }
  END { for (c = 2; c <= 10; ++c) printf "%s%s", (c in t) ? sprintf("%.3f", t[c]) : "null", c < 10 ? ", " : "" }' \
  "$work/out/probes.csv")
printf '| %s %s | %s | %s | %s | %s |\n' "$scheme" "$mass" "$precision" "$dx" "$dt" "${times//, / | }"

# of the program, not of the checkout that this script lies in
word() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p" "$work/out/report.json" | head -n 1; }
number() { sed -n "s/.*\"$1\": *\([0-9.e+-]*\).*/\1/p" "$work/out/report.json" | head -n 1; }
row=$(printf '{"bench": "niederer2011", "commit": "%s", "cpu": "%s", "scheme": "%s", "mass": "%s", "stepping": "%s", "currents": "%s", "precision": "%s", "model": "ten_tusscher_2006 epi", "reaction": "rush_larsen_light", "dx_mm": %s, "dt_ms": %s, "unknowns": %s, "cell_steps_per_s": %s, "activation_ms": [%s]}' \
  "$(word built_from)" \
  "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) threads" \
  "$scheme" "$mass" "$stepping" "$currents" "$precision" "$dx" "$dt" "$(number unknowns)" "$(number cell_steps_per_s)" "$times")
if [ -s "$record" ]; then
  sed -i '$ d' "$record"                       # the closing bracket
  sed -i '$ s/$/,/' "$record"
  printf '%s\n]\n' "$row" >> "$record"
else
  printf '[\n%s\n]\n' "$row" > "$record"
fi
