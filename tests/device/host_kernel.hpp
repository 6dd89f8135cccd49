// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/cuda/nvrtc.hpp"
#include "tests/device/host_cuda.hpp"

#include <dlfcn.h>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <stdexcept>

namespace tawara::test {

/// The kernels of a text that NVRTC would get, compiled by the host's compiler instead (as for a
/// device before compute capability 9.0), in a library of this process.
class HostKernel
{
  public:
    /// @param folder  empty or not there yet
    /// @throws std::runtime_error with what the compiler said
    HostKernel(const device::cuda::CudaSource& source, const QString& folder)
    {
        QString text = "#include \"tests/device/host_cuda_language.hpp\"\n";
        write(folder + "/kernel.cpp", text + on_host(source.text));
        for (const auto& [name, header] : source.headers)
            if (name.find('/') != std::string::npos) // the standard library's are the host's own
                write(folder + "/" + QString::fromStdString(name), on_host(header));
        QStringList options = language() + precompiled();
#ifndef __clang__ // which makes no symbol that two libraries share
        options << "-fno-gnu-unique";
#endif
        options << "-shared"
                << "-Wl,-Bsymbolic";
        if (const QString linker = TAWARA_HOST_LINKER; !linker.isEmpty())
            options << linker;
        options << "-I" + folder << folder + "/kernel.cpp"
                << "-o" << folder + "/kernel.so";
        compile(options);
        library_ = dlopen((folder + "/kernel.so").toUtf8(), RTLD_NOW | RTLD_LOCAL);
        if (!library_)
            throw std::runtime_error(dlerror());
    }
    ~HostKernel()
    {
        dlclose(library_);
    }
    HostKernel(const HostKernel&) = delete;
    HostKernel& operator=(const HostKernel&) = delete;

    /// A variable or a function of the text; null when there is none of that name.
    template <class T>
    T* find(const char* name) const
    {
        return reinterpret_cast<T*>(dlsym(library_, name));
    }

    /// @throws std::runtime_error where threads that have to meet do not
    template <class... Arguments>
    void launch(const char* name, int blocks, int threads, Arguments... arguments) const
    {
        auto* kernel = find<void(Arguments...)>(name);
        if (!kernel)
            throw std::runtime_error(std::string("no kernel ") + name);
        auto call = [&] { kernel(arguments...); };
        if (!host_cuda::run(
                blocks, threads, [](void* c) { (*static_cast<decltype(call)*>(c))(); }, &call))
            throw std::runtime_error(std::string(name) + ": threads wait for others in vain");
    }

  private:
    static QStringList language()
    {
        return {"-std=c++20",
                "-O0",
                "-w",
                "-fPIC",
                "-ffp-contract=off",
                QStringLiteral("-I") + TAWARA_SOURCE_DIR};
    }
    /// What each text includes first, compiled once for all of them: half the time of a text. GCC
    /// reads it each time.
    static QStringList precompiled()
    {
#ifdef __clang__
        static const QTemporaryDir folder;
        static const QString file = [] {
            const QString made = folder.filePath("language.pch");
            compile(language() << "-x"
                               << "c++-header"
                               << TAWARA_SOURCE_DIR "/tests/device/host_cuda_language.hpp"
                               << "-o" << made);
            return made;
        }();
        return {"-include-pch", file};
#else
        return {};
#endif
    }
    static void compile(const QStringList& options)
    {
        QProcess compiler;
        compiler.setProcessChannelMode(QProcess::MergedChannels);
        compiler.start(TAWARA_HOST_COMPILER, options);
        if (!compiler.waitForFinished(120000) || compiler.exitCode() != 0)
            throw std::runtime_error(compiler.readAll().left(4000).toStdString());
    }
    static void write(const QString& path, const QString& text)
    {
        QDir().mkpath(QFileInfo(path).path());
        QFile file(path);
        if (!file.open(QFile::WriteOnly) || file.write(text.toUtf8()) < 0)
            throw std::runtime_error("cannot write " + path.toStdString());
    }
    /// With instructions of PTX as calls of what host_cuda_language.hpp has in their place.
    static QString on_host(const std::string& text)
    {
        static const QRegularExpression instruction(
            R"re(asm(?: volatile)?\("([a-z0-9.]+) %0, \[?%1\]?;" : "=\w"\((\w+)\) : "\w"\((\w+)\)\);)re");
        QString t = QString::fromStdString(text), made;
        qsizetype at = 0;
        for (auto i = instruction.globalMatch(t); i.hasNext();) {
            const auto m = i.next();
            made += t.mid(at, m.capturedStart() - at) + m.captured(2) + " = ptx_" +
                    m.captured(1).replace('.', '_') + "(" + m.captured(3) + ");";
            at = m.capturedEnd();
        }
        return made + t.mid(at);
    }

    void* library_ = nullptr;
};

} // namespace tawara::test
