// SPDX-License-Identifier: GPL-3.0-or-later
// What tests of the whole window include, compiled once for all of them (tawara_precompiled).
#pragma once
#include ".cmake/tests.hpp"

#include "app/export_controller.hpp"
#include "app/real_engine.hpp"
#include "app/saving_controller.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/transport_bar.hpp"
#include "widgets/panels/view_panel.hpp"
#include "widgets/plots/trace_plot.hpp"
