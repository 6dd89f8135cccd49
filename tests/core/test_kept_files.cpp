// SPDX-License-Identifier: GPL-3.0-or-later
// Folders of kept files: which of them others could have put something into.
#include "engine/core/kept_files.hpp"

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace tawara;
namespace fs = std::filesystem;

class TestKeptFiles : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    fs::path path(const char* name) const { return fs::path(dir_.path().toStdString()) / name; }
    /// Why a folder there is not used, which is made where it is missing.
    static std::string why(const fs::path& parent)
    {
        return KeptFiles(parent / "tawara", ".x", 1000).distrust();
    }

  private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(dir_.isValid());
        fs::create_directories(path("real/deeper"));
        fs::create_directories(path("open"));
        QCOMPARE(::chmod(path("open").c_str(), 0777), 0);
    }

    /// A cache that its owner has put on another disk, by links to links and up again.
    void ownLinksAreFollowed()
    {
        fs::create_symlink("real/deeper", path("own"));
        fs::create_symlink(path("own"), path("whole"));
        fs::create_symlink("../real/../whole/..", path("real/up"));
        for (const char* parent : {"real", "own", "whole", "real/up", "real/up/deeper/"}) {
            const auto said = why(path(parent));
            QVERIFY2(said.empty(), said.c_str());
        }
        QVERIFY(fs::is_directory(path("real/deeper/tawara")));
        fs::create_directory_symlink(path("real"), path("real/deeper/link"));
        QCOMPARE(distrust_of(path("real/deeper/link")),
                 path("real/deeper/link").string() + " is a symbolic link");
    }

    /// Whoever may write beside a link can lead it elsewhere.
    void linksThatOthersMayReplaceAreNot()
    {
        fs::create_symlink("../real", path("open/link"));
        for (const char* parent : {"open/link", "open/link/deeper"})
            QCOMPARE(why(path(parent)), "others may replace the link " +
                                            path("open/link").string() + ": they may write in " +
                                            path("open").string());
        QCOMPARE(::chmod(path("open").c_str(), 01777), 0); // as /tmp: they cannot rename it
        QCOMPARE(why(path("open/link")), std::string());
        QCOMPARE(::chmod(path("open").c_str(), 0777), 0);
        QVERIFY(!why(path("open")).empty());
    }

    void linksOfAnotherUserAreNot()
    {
        if (geteuid() != 0)
            QSKIP("only root can give a link to another user");
        constexpr uid_t other = 12345;
        fs::create_symlink("real", path("theirs"));
        QCOMPARE(::lchown(path("theirs").c_str(), other, other), 0);
        for (const char* parent : {"theirs", "theirs/deeper"})
            QCOMPARE(why(path(parent)),
                     "the symbolic link " + path("theirs").string() + " belongs to another user");
    }
};

QTEST_GUILESS_MAIN(TestKeptFiles)
#include "test_kept_files.moc"
