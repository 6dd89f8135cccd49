// SPDX-License-Identifier: GPL-3.0-or-later
// What most test programs include, compiled once for all of them (tawara_precompiled).
#pragma once
#include ".cmake/standard.hpp"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>
#ifdef QT_WIDGETS_LIB
#include <QtWidgets>
#endif

#include <random>
