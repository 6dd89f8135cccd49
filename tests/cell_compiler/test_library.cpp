// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/action_potential.hpp"
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/reference/reference.hpp"
#include "engine/core/larger.hpp"
#include "engine/verify/problems/published_beats.hpp"

#include <QtTest>

#include <map>

using namespace tawara::cell;
using namespace tawara::cell::compiler;

/// The models that ship with the program: against other people's codings of the same papers (when
/// the collections are beside the repository), and against published action potentials.
class TestLibrary : public QObject
{
    Q_OBJECT
    QTemporaryDir folder_;
    bool collections_ = false;

    static std::size_t index(const CellSystem& s, const std::string& name)
    {
        for (std::size_t k = 0; k < s.states.size(); ++k)
            if (s.states[k].name == name || s.states[k].full_name == name)
                return k;
        return s.states.size();
    }

    /// Parameters and initial values of a variant.
    static std::pair<std::vector<double>, std::vector<double>> values(const CellSystem& s,
                                                                      const QString& variant)
    {
        const CellType t = cell_type(s, variant.toStdString(), {}, {});
        return {t.parameters, t.initial};
    }

    /// The last of some beats at 1 Hz.
    static ActionPotential last_beat(const CellSystem& s, const QString& variant, double amplitude,
                                     int beats)
    {
        auto [p, x] = values(s, variant);
        const Reference reference(s);
        ReferenceOptions o;
        o.relative_tolerance = o.absolute_tolerance = 1e-7;
        o.largest_step_ms = 20;
        const auto on = [amplitude](double) { return amplitude; };
        const auto off = [](double) { return 0.0; };
        for (int k = 1; k < beats; ++k) {
            o.stimulus = on;
            x = reference.run(p, x, 1, 1, o).back();
            o.stimulus = off;
            x = reference.run(p, x, 999, 999, o).back();
        }
        ActionPotentialMeter meter;
        meter.start_beat(0);
        o.stimulus = on;
        auto rows = reference.run(p, x, 1, 0.02, o);
        for (std::size_t k = 0; k < rows.size(); ++k)
            meter.sample(0.02 * static_cast<double>(k), rows[k][0]);
        o.stimulus = off;
        x = rows.back();
        rows = reference.run(p, x, 10, 0.02, o);
        for (std::size_t k = 1; k < rows.size(); ++k)
            meter.sample(1 + 0.02 * static_cast<double>(k), rows[k][0]);
        x = rows.back();
        rows = reference.run(p, x, 989, 0.5, o);
        for (std::size_t k = 1; k < rows.size(); ++k)
            meter.sample(11 + 0.5 * static_cast<double>(k), rows[k][0]);
        const auto all = meter.finish();
        return all.empty() ? ActionPotential{} : all[0];
    }

  private Q_SLOTS:
    void namesAreThoseOfTheFolder()
    {
        for (const auto& name : library_names())
            QVERIFY2(is_library_name(name), name.c_str());
        for (const auto* name : {"", "none", "../models/ten_tusscher_2006", "ten_tusscher_2006.mmt",
                                 "/ten_tusscher_2006", "ten_tusscher_2006/"})
            QVERIFY2(!is_library_name(name), name);
    }

    void initTestCase()
    {
        collections_ = true;
        for (const char* name : {"cellml", "mmt"}) {
            const QString archive =
                QString(TAWARA_SOURCE_DIR "/../shared/data/") + name + ".tar.xz";
            collections_ = collections_ && QFile::exists(archive) &&
                           QProcess::execute("tar", {"xJf", archive, "-C", folder_.path()}) == 0;
        }
    }

    /// All there, with what a reader of the library needs to know.
    void complete()
    {
        const std::map<std::string, std::size_t> states{
            {"aliev_panfilov_1996", 2},     {"beeler_reuter_1977", 8},  {"courtemanche_1998", 21},
            {"fitzhugh_nagumo_1994", 2},    {"grandi_bers_2010", 38},   {"greenstein_2006", 76},
            {"greenstein_2006_irvine", 86}, {"hodgkin_huxley_1952", 4}, {"luo_rudy_1991", 8},
            {"mitchell_schaeffer_2003", 2}, {"ohara_rudy_2011", 41},    {"shannon_bers_2004", 39},
            {"stewart_2009", 20},           {"ten_tusscher_2006", 19}};
        for (const auto& [name, count] : states) {
            const CellSystem s = load_model(name);
            QCOMPARE(s.states.size(), count);
            QCOMPARE(s.name, name);
            QVERIFY2(s.title.size() > 10 && s.description.size() > 100, name.c_str());
            QVERIFY2(!s.stimulus.empty(), name.c_str());
            for (const auto& v : s.variants) // every name in a variant is a parameter or a state
                cell_type(s, v.name, {}, {});
        }
        for (const char* m : {"ten_tusscher_2006", "ohara_rudy_2011"})
            for (const char* v : {"endo", "epi", "mid", "m", "M"})
                cell_type(load_model(m), v, {}, {});
    }

    void other_codings_data()
    {
        QTest::addColumn<QString>("variant");
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("names");   // ours=theirs,...
        QTest::addColumn<QString>("theirs");  // parameters of theirs
        QTest::addColumn<QString>("ours");    // parameters of ours
        QTest::addColumn<QString>("carried"); // by the stimulus here and not there
        QTest::addColumn<double>("bound");    // largest difference over the state's range
        const QString grandi =
            "h=ina.h,fCa_j=fCa_jn,xtos=ito.xs,ytos=ys,xtof=xf,ytof=yf,xr=ikr.x,xs=iks.x,"
            "RyR_r=ryr.r,RyR_o=ryr.o,RyR_i=ryr.i,Na_B_j=NaB_jn,Na_B_sl=NaB_sl,TnC_low=TnCL,"
            "TnC_high=TnCHCa,TnC_Mg=TnCHMg,Myo_Ca=MyoCa,Myo_Mg=MyoMg,SR_B=SRB,SLL_j=SLL_jn,"
            "SLH_j=SLH_jn,Na_j=Na_jn,Ca_j=Ca_jn";
        const QString ord =
            "Nai=Na_i,Nass=Na_ss,Ki=K_i,Kss=K_ss,Cai=Ca_i,Cass=Ca_ss,CaNSR=Ca_nsr,CaJSR=Ca_jsr,"
            "m=ina.m,mL=inal.m,hL=inal.h,hLp=inal.hp,i_fast=ito.if,i_slow=ito.is,"
            "i_fast_p=ito.ifp,i_slow_p=ito.isp,xrf=ikr.xf,xrs=ikr.xs,xs1=x1,xs2=x2,xk1=x,"
            "Jrel_np=Jrelnp,Jrel_p=Jrelp,CaMK_t=CaMK_trapped";
        const QString mmt = "mmt/myokit-models/", chaste = "cellml/chaste/";
        const auto row = [](const char* model, const char* variant, const QString& file,
                            const QString& names, const char* theirs = "", const char* ours = "",
                            const char* carried = "", double bound = 2e-4) {
            QTest::newRow((std::string(model) + " " + variant + " " +
                           QFileInfo(file).fileName().toStdString())
                              .c_str())
                << variant << file << names << theirs << ours << carried << bound;
        };
        row("beeler_reuter_1977", "", chaste + "beeler_reuter_model_1977.cellml", "", "", "", "Cai",
            0.15); // molar here; that file rounds 1/rates
        row("luo_rudy_1991", "", chaste + "luo_rudy_1991.cellml", "");
        row("ten_tusscher_2006", "epi", chaste + "ten_tusscher_model_2006_epi.cellml",
            "CaSR=Ca_SR,CaSS=Ca_ss,Cai=Ca_i,Nai=Na_i,Ki=K_i");
        row("courtemanche_1998", "", mmt + "courtemanche-1998.mmt", "f_Ca=fCa");
        row("courtemanche_1998", "", chaste + "courtemanche_ramirez_nattel_1998.cellml",
            "Cai=Ca_i,CaUp=Ca_up,CaRel=Ca_rel,Nai=Na_i,Ki=K_i", "", "", "Ki", 1e-3);
        row("stewart_2009", "", mmt + "stewart-2009.mmt",
            "CaSR=Ca_SR,CaSS=Ca_ss,Cai=Ca_i,Nai=Na_i,Ki=K_i,f=f1", "", "", "Ki", 5e-4);
        // the collection's file has a later correction of the pump: protons 1e-4 mM
        row("ohara_rudy_2011", "endo", mmt + "ohara-2011.mmt", ord, "mode=0", "H=1e-4");
        row("ohara_rudy_2011", "epi", mmt + "ohara-2011.mmt", ord, "mode=1", "H=1e-4");
        row("ohara_rudy_2011", "mid", mmt + "ohara-2011.mmt", ord, "mode=2", "H=1e-4");
        row("ohara_rudy_2011", "epi", chaste + "ohara_rudy_2011_epi.cellml",
            "Nai=nai,Nass=nass,Ki=ki,Kss=kss,Cai=cai,Cass=cass,CaNSR=cansr,CaJSR=cajsr,"
            "i_fast=iF,i_slow=iS,i_fast_p=iFp,i_slow_p=iSp,Jrel_np=Jrelnp,Jrel_p=Jrelp,"
            "CaMK_t=CaMKt");
        row("grandi_bers_2010", "epi", mmt + "grandi-2010.mmt", grandi, "epi=1");
        row("grandi_bers_2010", "endo", mmt + "grandi-2010.mmt", grandi, "epi=0");
        row("shannon_bers_2004", "", mmt + "shannon-2004.mmt", grandi + ",rtos=rs");
    }
    /// The same cell from the same state with the same stimulus: every state, 400 ms.
    void other_codings()
    {
        if (!collections_)
            QSKIP("models of the shared data are not beside the repository");
        QFETCH(QString, variant);
        QFETCH(QString, file);
        QFETCH(QString, names);
        QFETCH(QString, theirs);
        QFETCH(QString, ours);
        QFETCH(QString, carried);
        QFETCH(double, bound);
        const CellSystem a =
            load_model(QString(QTest::currentDataTag()).section(' ', 0, 0).toStdString());
        const CellSystem b = load_model(folder_.filePath(file).toStdString());
        auto [pa, xa] = values(a, variant);
        auto [pb, xb] = values(b, "");
        const auto set = [](const CellSystem& s, std::vector<double>& p, const QString& text) {
            for (const auto& item : text.split(',', Qt::SkipEmptyParts))
                for (std::size_t k = 0; k < p.size(); ++k)
                    if (QString::fromStdString(s.parameters[k].name) == item.section('=', 0, 0))
                        p[k] = item.section('=', 1).toDouble();
        };
        set(a, pa, ours);
        set(b, pb, theirs);
        std::map<std::string, std::string> map;
        for (const auto& item : names.split(',', Qt::SkipEmptyParts))
            map[item.section('=', 0, 0).toStdString()] = item.section('=', 1).toStdString();
        std::vector<std::size_t> there(a.states.size());
        for (std::size_t k = 1; k < a.states.size(); ++k) {
            const auto it = map.find(a.states[k].name);
            there[k] = index(b, it == map.end() ? a.states[k].name : it->second);
            QVERIFY2(there[k] < b.states.size(), a.states[k].name.c_str());
            if (carried != "Cai")
                xb[there[k]] = xa[k];
        }
        xb[0] = xa[0];
        ReferenceOptions o;
        o.largest_step_ms = 0.5;
        o.stimulus = [](double t) { return t >= 10 && t < 11 ? 60.0 : 0.0; };
        const auto ra = Reference(a).run(pa, xa, 400, 1, o),
                   rb = Reference(b).run(pb, xb, 400, 1, o);
        for (std::size_t k = 0; k < a.states.size(); ++k) {
            if (carried.split(',').contains(QString::fromStdString(a.states[k].name)))
                continue;
            double low = INFINITY, high = -INFINITY, difference = 0;
            for (std::size_t t = 0; t < ra.size(); ++t) {
                low = std::min(low, rb[t][there[k]]);
                high = std::max(high, rb[t][there[k]]);
                difference =
                    tawara::larger_or_nan(difference, std::abs(ra[t][k] - rb[t][there[k]]));
            }
            QVERIFY2(difference <= bound * (high - low) + 1e-12,
                     qPrintable(QString("%1: %2 of %3 to %4")
                                    .arg(QString::fromStdString(a.states[k].name))
                                    .arg(difference)
                                    .arg(low)
                                    .arg(high)));
        }
        QVERIFY(std::any_of(ra.begin(), ra.end(), [](const auto& r) { return r[0] > 0; }));
    }

    /// The squid's axon against Myokit's coding of it, which rests at -60 mV (and whose leak has
    /// another reversal potential than table 3: 10.613 mV above rest).
    void squid_axon_of_another_coding()
    {
        if (!collections_)
            QSKIP("models of the shared data are not beside the repository");
        const CellSystem a = load_model("hodgkin_huxley_1952");
        const CellSystem b =
            load_model(folder_.filePath("mmt/myokit-models/hodgkin-1952.mmt").toStdString());
        auto [pa, xa] = values(a, "");
        auto [pb, xb] = values(b, "");
        for (std::size_t k = 0; k < pb.size(); ++k)
            if (b.parameters[k].name == "Eleak")
                pb[k] = -60 + 10.613;
        std::vector<std::size_t> there;
        for (const auto& s : a.states) {
            there.push_back(index(b, s.name));
            QVERIFY2(there.back() < b.states.size(), s.name.c_str());
            xb[there.back()] = xa[there.size() - 1] + (s.name == "V" ? 5 : 0);
        }
        ReferenceOptions o;
        o.largest_step_ms = 0.1;
        o.stimulus = [](double t) { return t >= 1 && t < 1.5 ? 30.0 : 0.0; };
        const auto ra = Reference(a).run(pa, xa, 30, 0.1, o),
                   rb = Reference(b).run(pb, xb, 30, 0.1, o);
        double highest = -100;
        for (std::size_t t = 0; t < ra.size(); ++t) {
            highest = std::max(highest, ra[t][0]);
            for (std::size_t k = 0; k < ra[t].size(); ++k)
                QVERIFY(std::abs(ra[t][k] + (k == 0 ? 5 : 0) - rb[t][there[k]]) <
                        (k == 0 ? 1e-3 : 1e-5));
        }
        QVERIFY(highest > 30);
    }

    /// Hodgkin & Huxley 1952: a shock of 6 mV dies out, one of 7 mV makes a spike (fig. 12, at 6
    /// degC), of 90 to 110 mV, and a faster one when it is warm.
    void squid_axon_spikes()
    {
        const CellSystem s = load_model("hodgkin_huxley_1952");
        const auto peak = [&](double shock_mV, double temperature) {
            auto [p, x] = values(s, "");
            for (std::size_t k = 0; k < p.size(); ++k)
                if (s.parameters[k].name == "temperature")
                    p[k] = temperature;
            x[0] += shock_mV;
            std::pair<double, double> highest{0, 0};
            double t = 0;
            for (const auto& row : Reference(s).run(p, x, 20, 0.05)) {
                if (row[0] - s.states[0].initial > highest.first)
                    highest = {row[0] - s.states[0].initial, t};
                t += 0.05;
            }
            return highest;
        };
        QVERIFY(peak(6, 6).first < 10);
        QVERIFY(peak(7, 6).first > 85 && peak(7, 6).first < 110);
        const auto cold = peak(15, 6.3), warm = peak(15, 18.5);
        QVERIFY(warm.first < cold.first && warm.first > 70);
        QVERIFY(cold.second > 1.4 * warm.second);
        // at rest nothing moves
        const auto [p, x] = values(s, "");
        for (const auto& state : s.states) {
            const double rate =
                evaluate(s.graph, state.rate, [&, &px = p, &xx = x](std::uint32_t id) {
                    return s.value(id, xx, px, 0);
                });
            QVERIFY2(std::abs(rate) < 1e-3, state.name.c_str());
        }
    }

    /// The thirteen-state sodium channel at some potentials, against Iyer's cell of the collection.
    void irvine_channel()
    {
        if (!collections_)
            QSKIP("models of the shared data are not beside the repository");
        const CellSystem a = load_model("greenstein_2006_irvine");
        const CellSystem b =
            load_model(folder_.filePath("mmt/myokit-models/iyer-2004.mmt").toStdString());
        const std::pair<const char*, const char*> names[] = {
            {"na_c0", "na1"}, {"na_c1", "na2"},    {"na_c2", "na3"},    {"na_c3", "na4"},
            {"na_c4", "na5"}, {"na_o1", "ina.O1"}, {"na_o2", "ina.O2"}, {"na_i0", "na8"},
            {"na_i1", "na9"}, {"na_i2", "na10"},   {"na_i3", "na11"},   {"na_i4", "na12"},
            {"na_io", "na13"}};
        const auto pa = a.parameter_values(), pb = b.parameter_values();
        for (const double v : {-90.0, -50.0, -20.0, 10.0, 40.0}) {
            auto xa = a.initial_values(), xb = b.initial_values();
            xa[0] = xb[0] = v;
            double value = 0.01;
            for (const auto& [ours, theirs] : names) {
                QVERIFY2(index(a, ours) < xa.size() && index(b, theirs) < xb.size(), theirs);
                xa[index(a, ours)] = xb[index(b, theirs)] = value;
                value += 0.01;
            }
            for (const auto& [ours, theirs] : names) {
                const double ra =
                    evaluate(a.graph, a.states[index(a, ours)].rate,
                             [&](std::uint32_t id) { return a.value(id, xa, pa, 0); });
                const double rb =
                    evaluate(b.graph, b.states[index(b, theirs)].rate,
                             [&](std::uint32_t id) { return b.value(id, xb, pb, 0); });
                // their F, R of later digits: the exponents differ by up to 3e-4
                QVERIFY2(std::abs(ra - rb) <= 3e-3 * std::abs(rb) + 1e-4, ours);
            }
        }
    }

    /// Occupancies of a Markov scheme stay a distribution: their rates cancel.
    void occupancies_are_kept()
    {
        for (const char* name : {"greenstein_2006", "greenstein_2006_irvine"}) {
            const CellSystem s = load_model(name);
            const auto p = s.parameter_values();
            auto x = s.initial_values();
            x[0] = -12;
            x[index(s, "Cai")] = 4e-4;
            std::map<std::string, std::pair<double, double>> sums; // of rates, of their sizes
            for (const auto& q : s.states) {
                std::string group;
                if (q.full_name.rfind("unit.", 0) == 0)
                    group = "release units";
                for (const char* head : {"na_", "herg_", "K43_", "K14_"})
                    if (q.name.rfind(head, 0) == 0)
                        group = head;
                if (group.empty())
                    continue;
                const double r = evaluate(s.graph, q.rate,
                                          [&](std::uint32_t id) { return s.value(id, x, p, 0); });
                sums[group].first += r;
                sums[group].second += std::abs(r);
            }
            QVERIFY(sums.size() >= 4);
            for (const auto& [group, sum] : sums)
                QVERIFY2(std::abs(sum.first) <= 1e-12 * sum.second + 1e-18, group.c_str());
        }
    }

    void action_potentials_data()
    {
        QTest::addColumn<int>("row");
        for (std::size_t k = 0; k < tawara::verify::published_beats.size(); ++k) {
            const auto& b = tawara::verify::published_beats[k];
            QTest::addRow("%s %s", b.model, b.variant) << static_cast<int>(k);
        }
    }
    void action_potentials()
    {
        QFETCH(int, row);
        const auto& b = tawara::verify::published_beats.at(static_cast<std::size_t>(row));
        const auto ap = last_beat(load_model(b.model), b.variant, b.amplitude_pA_per_pF, b.beats());
        qInfo("%-32s rest %.1f, peak %.1f mV, upstroke %.0f mV/ms, APD90 %.1f ms",
              QTest::currentDataTag(), ap.rest_mV, ap.peak_mV, ap.upstroke_mV_per_ms, ap.apd90_ms);
        QVERIFY(std::abs(ap.rest_mV - b.rest_mV) <= b.rest_by_mV);
        QVERIFY(std::abs(ap.apd90_ms - b.apd90_ms) <= b.apd90_by_ms);
        QVERIFY(ap.upstroke_mV_per_ms >= b.least_upstroke_mV_per_ms && ap.peak_mV > 0);
    }

    /// Stewart 2009: the Purkinje cell beats with no stimulus.
    void purkinje_beats_by_itself()
    {
        const CellSystem s = load_model("stewart_2009");
        const auto p = s.parameter_values(), x = s.initial_values();
        ReferenceOptions o;
        o.largest_step_ms = 5;
        const auto rows = Reference(s).run(p, x, 9000, 0.5, o);
        std::vector<double> beats;
        double lowest = 0;
        for (std::size_t k = 1; k < rows.size(); ++k) {
            lowest = std::min(lowest, rows[k][0]);
            if (rows[k - 1][0] < 0 && rows[k][0] >= 0)
                beats.push_back(0.5 * static_cast<double>(k));
        }
        QVERIFY(beats.size() >= 3);
        const double cycle = beats.back() - beats[beats.size() - 2];
        qInfo("stewart_2009: %zu beats by itself, cycle %.0f ms, lowest %.1f mV", beats.size(),
              cycle, lowest);
        QVERIFY(cycle > 1000 && cycle < 2500);
        QVERIFY(lowest > -80 && lowest < -68);
    }
};

QTEST_GUILESS_MAIN(TestLibrary)
#include "test_library.moc"
