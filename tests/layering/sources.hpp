// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDirIterator>
#include <QFile>
#include <QList>
#include <QRegularExpression>
#include <QString>
#include <QStringList>

inline const QString root = QStringLiteral(TAWARA_SOURCE_DIR "/");

struct Include
{
    QString what;
    bool angled;
    int line;
};

struct Source
{
    QString path; ///< from the root of the repository
    QStringList lines;
    QList<Include> includes;
    bool header() const { return path.endsWith(".hpp") || path.endsWith(".cuh"); }
};

inline Source read(const QString& path)
{
    static const QRegularExpression include("^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"]");
    Source s{path, {}, {}};
    QFile file(root + path);
    if (file.open(QIODevice::ReadOnly))
        s.lines = QString::fromUtf8(file.readAll()).split('\n');
    for (int k = 0; k < s.lines.size(); ++k)
        if (const auto m = include.match(s.lines[k]); m.hasMatch())
            s.includes.append({m.captured(2), m.captured(1) == "<", k + 1});
    return s;
}

inline QList<Source> sources(const QStringList& folders, const QStringList& patterns)
{
    QList<Source> out;
    for (const auto& folder : folders) {
        QDirIterator it(root + folder, patterns, QDir::Files, QDirIterator::Subdirectories);
        while (it.hasNext())
            out.append(read(it.next().mid(root.size())));
    }
    return out;
}
