#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Traces of cells by libCellML and SciPy, of the CellML texts of github.com/Chaste/cellml.

make_traces.py CELLML NODE_MODULES OUT [NAME ...]

CELLML        folder of the texts, as ten_tusscher_model_2006_epi.cellml
NODE_MODULES  folder in which npm put libcellml.js 0.7.1
OUT           folder for a table NAME.csv of each trace: a second from the text's initial values on,
              every 20 ms, with the text's own stimulus
NAME          of a trace; without one all but the two that weblab-fc has

libCellML (cellml_to_python.mjs, run by node) parses and analyses a text and writes its equations as
a Python module. SciPy solves them by LSODA between the edges of the stimulus.
"""
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import types

import numpy
from scipy.integrate import solve_ivp

HERE = pathlib.Path(__file__).resolve().parent
END_MS, EVERY_MS = 1000, 20
RELATIVE, ABSOLUTE = 1e-10, 1e-14

TEN_TUSSCHER = """
    membrane.V=V rapid_time_dependent_potassium_current_Xr1_gate.Xr1=Xr1
    rapid_time_dependent_potassium_current_Xr2_gate.Xr2=Xr2
    slow_time_dependent_potassium_current_Xs_gate.Xs=Xs fast_sodium_current_m_gate.m=m
    fast_sodium_current_h_gate.h=h fast_sodium_current_j_gate.j=j L_type_Ca_current_d_gate.d=d
    L_type_Ca_current_f_gate.f=f L_type_Ca_current_f2_gate.f2=f2
    L_type_Ca_current_fCass_gate.fCass=fCass transient_outward_current_s_gate.s=s
    transient_outward_current_r_gate.r=r calcium_dynamics.Ca_i=Cai calcium_dynamics.Ca_SR=CaSR
    calcium_dynamics.Ca_ss=CaSS calcium_dynamics.R_prime=R_prime sodium_dynamics.Na_i=Nai
    potassium_dynamics.K_i=Ki"""
O_HARA = """
    membrane.v=V CaMK.CaMKt=CaMK_t intracellular_ions.nai=Nai intracellular_ions.nass=Nass
    intracellular_ions.ki=Ki intracellular_ions.kss=Kss intracellular_ions.cass=Cass
    intracellular_ions.cansr=CaNSR intracellular_ions.cajsr=CaJSR intracellular_ions.cai=Cai
    INa.m=m INa.hf=hf INa.hs=hs INa.j=j INa.hsp=hsp INa.jp=jp INaL.mL=mL INaL.hL=hL INaL.hLp=hLp
    Ito.a=a Ito.iF=i_fast Ito.iS=i_slow Ito.ap=ap Ito.iFp=i_fast_p Ito.iSp=i_slow_p ICaL.d=d
    ICaL.ff=ff ICaL.fs=fs ICaL.fcaf=fcaf ICaL.fcas=fcas ICaL.jca=jca ICaL.ffp=ffp ICaL.fcafp=fcafp
    ICaL.nca=nca IKr.xrf=xrf IKr.xrs=xrs IKs.xs1=xs1 IKs.xs2=xs2 IK1.xk1=xk1 ryr.Jrelnp=Jrel_np
    ryr.Jrelp=Jrel_p"""
COURTEMANCHE = """
    Ca_release_current_from_JSR_u_gate.u=u Ca_release_current_from_JSR_v_gate.v=v
    Ca_release_current_from_JSR_w_gate.w=w intracellular_ion_concentrations.Ca_rel=CaRel
    intracellular_ion_concentrations.Ca_i=Cai intracellular_ion_concentrations.K_i=Ki
    intracellular_ion_concentrations.Na_i=Nai intracellular_ion_concentrations.Ca_up=CaUp
    L_type_Ca_channel_d_gate.d=d L_type_Ca_channel_f_Ca_gate.f_Ca=f_Ca L_type_Ca_channel_f_gate.f=f
    fast_sodium_current_h_gate.h=h fast_sodium_current_j_gate.j=j fast_sodium_current_m_gate.m=m
    membrane.V=V rapid_delayed_rectifier_K_current_xr_gate.xr=xr
    slow_delayed_rectifier_K_current_xs_gate.xs=xs transient_outward_K_current_oa_gate.oa=oa
    transient_outward_K_current_oi_gate.oi=oi ultrarapid_delayed_rectifier_K_current_ua_gate.ua=ua
    ultrarapid_delayed_rectifier_K_current_ui_gate.ui=ui"""
GRANDI = """
    membrane_potential.V_m=V I_Na.m=m I_Na.h=h I_Na.j=j I_Ca.d=d I_Ca.f=f I_Ca.f_Ca_Bj=fCa_j
    I_Ca.f_Ca_Bsl=fCa_sl I_to.x_to_s=xtos I_to.y_to_s=ytos I_to.x_to_f=xtof I_to.y_to_f=ytof
    I_Kr.x_kr=xr I_Ks.x_ks=xs SR_Fluxes.Ry_Rr=RyR_r SR_Fluxes.Ry_Ro=RyR_o SR_Fluxes.Ry_Ri=RyR_i
    Na_Buffers.Na_Bj=Na_B_j Na_Buffers.Na_Bsl=Na_B_sl Cytosolic_Ca_Buffers.Tn_CL=TnC_low
    Cytosolic_Ca_Buffers.Tn_CHc=TnC_high Cytosolic_Ca_Buffers.Tn_CHm=TnC_Mg
    Cytosolic_Ca_Buffers.CaM=CaM Cytosolic_Ca_Buffers.Myo_c=Myo_Ca
    Cytosolic_Ca_Buffers.Myo_m=Myo_Mg Cytosolic_Ca_Buffers.SRB=SR_B
    Junctional_and_SL_Ca_Buffers.SLL_j=SLL_j Junctional_and_SL_Ca_Buffers.SLL_sl=SLL_sl
    Junctional_and_SL_Ca_Buffers.SLH_j=SLH_j Junctional_and_SL_Ca_Buffers.SLH_sl=SLH_sl
    SR_Ca_Concentrations.Csqn_b=Csqn SR_Ca_Concentrations.Ca_sr=Ca_sr Na_Concentrations.Na_j=Na_j
    Na_Concentrations.Na_sl=Na_sl Na_Concentrations.Na_i=Na_i Ca_Concentrations.Ca_j=Ca_j
    Ca_Concentrations.Ca_sl=Ca_sl Ca_Concentrations.Ca_i=Ca_i"""
SHANNON = """
    cell.V=V INa_m_gate.m=m INa_h_gate.h=h INa_j_gate.j=j ICaL_d_gate.d=d ICaL_f_gate.f=f
    ICaL_fCa_gate.fCaB_jct=fCa_j ICaL_fCa_gate.fCaB_SL=fCa_sl Itos_X_gate.X_tos=xtos
    Itos_Y_gate.Y_tos=ytos Itos_R_gate.R_tos=rtos Itof_X_gate.X_tof=xtof Itof_Y_gate.Y_tof=ytof
    IKr_Xr_gate.Xr=xr IKs_Xs_gate.Xs=xs Jrel_SR.R=RyR_r Jrel_SR.O=RyR_o Jrel_SR.I=RyR_i
    Na_buffer.Na_jct_buf=Na_B_j Na_buffer.Na_SL_buf=Na_B_sl
    cytosolic_Ca_buffer.Ca_TroponinC=TnC_low cytosolic_Ca_buffer.Ca_TroponinC_Ca_Mg=TnC_high
    cytosolic_Ca_buffer.Mg_TroponinC_Ca_Mg=TnC_Mg cytosolic_Ca_buffer.Ca_Calmodulin=CaM
    cytosolic_Ca_buffer.Ca_Myosin=Myo_Ca cytosolic_Ca_buffer.Mg_Myosin=Myo_Mg
    cytosolic_Ca_buffer.Ca_SRB=SR_B Ca_buffer.Ca_SLB_jct=SLL_j Ca_buffer.Ca_SLB_SL=SLL_sl
    Ca_buffer.Ca_SLHigh_jct=SLH_j Ca_buffer.Ca_SLHigh_SL=SLH_sl Ca_buffer.Ca_Calsequestrin=Csqn
    Ca_buffer.Ca_SR=Ca_sr Na_buffer.Na_jct=Na_j Na_buffer.Na_SL=Na_sl Na_buffer.Nai=Na_i
    Ca_buffer.Ca_jct=Ca_j Ca_buffer.Ca_SL=Ca_sl Ca_buffer.Cai=Ca_i"""
LUO_RUDY = """
    membrane.V=V fast_sodium_current_m_gate.m=m fast_sodium_current_h_gate.h=h
    fast_sodium_current_j_gate.j=j slow_inward_current_d_gate.d=d slow_inward_current_f_gate.f=f
    time_dependent_potassium_current_X_gate.X=X intracellular_calcium_concentration.Cai=Cai"""


class Trace:
    """What a trace is of.

    text       its CellML file
    states     the text's states and the library's names for them, in the table's order
    pulse_ms   start and end of the text's stimulus
    constants  values other than the text's, by COMPONENT.NAME
    numbers    a component, and numbers in its formulas with what is taken for them
    component  a component, and another CellML file that gives it in place of the text's own
    """

    def __init__(self, text, states, pulse_ms, constants=None, numbers=None, component=None):
        self.text, self.pulse_ms = text, pulse_ms
        self.states = [pair.split("=") for pair in states.split()]
        self.constants, self.numbers, self.component = constants or {}, numbers, component


def ten_tusscher(**changes):
    return Trace("ten_tusscher_model_2006_epi", TEN_TUSSCHER, (100, 101), **changes)


def o_hara(**changes):
    return Trace("ohara_rudy_2011_epi", O_HARA, (10, 10.5), **changes)


def grandi(**constants):
    # the text has 3.2743e-12, digits swapped, for 1 / 2.6851e11 of the authors' program
    return Trace("grandi_pasqualini_bers_2010_ss", GRANDI, (100, 105),
                 constants={"parameters.J_ca_slmyo": 1 / 2.6851e11, **constants})


# weblab-fc has these, too, and its tables lie here: what comes out must be the same
KNOWN = {
    "luo_rudy_1991": Trace("luo_rudy_1991", LUO_RUDY, (100, 102)),
    "ten_tusscher_model_2006_epi": ten_tusscher(),
}
TRACES = {
    # g_to and the s gate of endocardial cells are those of the 2004 model
    "ten_tusscher_2006_endo": ten_tusscher(
        constants={"transient_outward_current.g_to": 0.073},
        component=("transient_outward_current_s_gate", "ten_tusscher_model_2004_endo")),
    "ten_tusscher_2006_m": ten_tusscher(
        constants={"slow_time_dependent_potassium_current.g_Ks": 0.098}),
    "ohara_rudy_2011_endo": o_hara(constants={"environment.celltype": 0}),
    "ohara_rudy_2011_mid": o_hara(constants={"environment.celltype": 2}),
    # chronic atrial fibrillation: I_to and I_Kur less by 50 per cent, I_CaL by 70
    "courtemanche_1998_af": Trace(
        "courtemanche_ramirez_nattel_1998", COURTEMANCHE, (100, 102),
        constants={"transient_outward_K_current.g_to": 0.0826,
                   "L_type_Ca_channel.g_Ca_L": 0.037125},
        numbers=("ultrarapid_delayed_rectifier_K_current", {"0.005": 0.0025, "0.05": 0.025})),
    "grandi_bers_2010_epi": grandi(),
    "grandi_bers_2010_endo": grandi(**{"parameters.epi": 0}),
    # the authors' program has other values than the text; README.md says which
    "shannon_bers_2004": Trace(
        "shannon_wang_puglisi_weber_bers_2004", SHANNON, (100, 105),
        constants={"model_parameters.R": 8314, "model_parameters.F": 96485,
                   "model_parameters.Cm_per_area": 1.381e-10 / (2 * math.pi * 10.25e-4 * 100e-4),
                   "INaK.I_NaK_max": 1.90719},
        numbers=("model_parameters", {"0.00051": 0.000539})),
}


def part(component):
    return re.compile(r'<component [^>]*name="' + component + r'".*?</component>', re.S)


def text_of(folder, trace):
    """The CellML text with what the trace has other than its file."""
    text = (folder / f"{trace.text}.cellml").read_text()
    if trace.component:
        name, other = trace.component
        new, = part(name).findall((folder / f"{other}.cellml").read_text())
        old, = part(name).findall(text)
        text = text.replace(old, new)
    if trace.numbers:
        name, values = trace.numbers
        old, = part(name).findall(text)
        new = old
        for number, value in values.items():
            new, times = re.subn(rf">\s*{re.escape(number)}\s*</cn>", f">{value}</cn>", new)
            if times != 1:
                raise SystemExit(f"{trace.text}: {times} numbers {number} in {name}; want 1")
        text = text.replace(old, new)
    return text


def module_of(text, modules):
    """The equations of a text as a Python module."""
    with tempfile.NamedTemporaryFile("w", suffix=".cellml") as file:
        file.write(text)
        file.flush()
        program = ["node", HERE / "cellml_to_python.mjs", modules, file.name]
        code = subprocess.run(program, check=True, capture_output=True, text=True).stdout
    module = types.ModuleType("cell")
    exec(code, module.__dict__)  # its own text, as libCellML wrote it
    timed = [line for line in code.splitlines() if "voi" in line and not line.startswith("def ")]
    # once in compute_rates, once in compute_variables at most
    if len({line.split("=")[0] for line in timed}) != 1:
        raise SystemExit("the equations hold the time in more places than the stimulus")
    return module


def index_of(infos, name):
    """Where the variable COMPONENT.NAME is; None where it is not."""
    for k, info in enumerate(infos):
        if f'{info["component"]}.{info["name"]}' == name:
            return k
    return None


def start_of(cell, constants):
    """Arrays of a module with other constants, ready for compute_rates.
    @return  states, rates, constants, computed constants, algebraic variables
    """
    x = cell.create_states_array()
    arrays = (x, cell.create_states_array(), cell.create_constants_array(),
              cell.create_computed_constants_array(), cell.create_algebraic_variables_array())
    cell.initialise_arrays(*arrays)
    places = []
    for name, value in constants.items():
        for infos, values in ((cell.CONSTANT_INFO, arrays[2]),
                              (cell.COMPUTED_CONSTANT_INFO, arrays[3])):
            k = index_of(infos, name)
            if k is not None:
                values[k] = value
                places.append((name, values, k, value))
    cell.compute_computed_constants(0.0, *arrays)
    kept = {name for name, values, k, value in places if values[k] == value}
    if kept != set(constants):
        raise SystemExit(f"no constants, or computed of others: {set(constants) - kept}")
    return arrays


def solve(cell, arrays, edges_ms):
    """States every EVERY_MS.
    @param edges_ms  start and end of the pulse
    @return          shape [times, states]
    """
    x, rates, *rest = arrays
    x = numpy.array(x)
    times = numpy.arange(0, END_MS + EVERY_MS, EVERY_MS)
    rows = numpy.empty((len(times), len(x)))
    rows[0] = x
    ends = [0, *edges_ms, END_MS]
    for begin, end in zip(ends, ends[1:]):
        middle = (begin + end) / 2  # the time acts on the stimulus alone

        def right_side(_, y, middle=middle):
            cell.compute_rates(middle, y.tolist(), rates, *rest)
            return rates

        inside = times[(times > begin) & (times <= end)]
        at = numpy.union1d(inside, [end])
        s = solve_ivp(right_side, (begin, end), x, "LSODA", at, rtol=RELATIVE, atol=ABSOLUTE)
        if not s.success:
            raise SystemExit(s.message)
        rows[inside // EVERY_MS] = s.y.T[numpy.isin(at, inside)]
        x = s.y[:, -1]
    return rows


def table(folder, modules, trace):
    """Names of the library's states, and their values, shape [times, states]."""
    cell = module_of(text_of(folder, trace), modules)
    columns = [index_of(cell.STATE_INFO, theirs) for theirs, _ in trace.states]
    if None in columns:
        raise SystemExit(f"{trace.text}: no state {trace.states[columns.index(None)][0]}")
    rows = solve(cell, start_of(cell, trace.constants), trace.pulse_ms)
    return [ours for _, ours in trace.states], rows[:, columns]


def write(file, names, rows):
    lines = [f"# {' '.join(names)}; every {EVERY_MS} ms (README.md)",
             ",".join(repr(float(v)) for v in rows[0])]
    lines += [",".join(f"{v:.7g}" for v in row) for row in rows[1:]]
    file.write_text("\n".join(lines) + "\n")


def main():
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    folder, modules, out = (pathlib.Path(a) for a in sys.argv[1:4])
    for name in sys.argv[4:] or TRACES:
        write(out / f"{name}.csv", *table(folder, modules, {**KNOWN, **TRACES}[name]))


if __name__ == "__main__":
    main()
