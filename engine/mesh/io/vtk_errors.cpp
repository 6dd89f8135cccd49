// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/io/vtk_errors.hpp"

#include "engine/mesh/io/vtk_threads.hpp"

#include <mutex>
#include <vtkLogger.h>
#include <vtkObjectFactory.h>
#include <vtkOutputWindow.h>
#include <vtkSmartPointer.h>

namespace tawara::mesh::io {
namespace {

/// Collects errors; drops the rest.
class Collector : public vtkOutputWindow
{
  public:
    static Collector* New();
    // clang-format off
    vtkTypeMacro(Collector, vtkOutputWindow)
        // clang-format on

        void DisplayText(const char*) override
    {
    }
    void DisplayErrorText(const char* text) override
    {
        std::lock_guard hold(mutex_);
        if (first_.empty() && text)
            first_ = text;
    }
    void DisplayWarningText(const char*) override {}
    void DisplayGenericWarningText(const char*) override {}
    void DisplayDebugText(const char*) override {}

    std::string first() const
    {
        std::lock_guard hold(mutex_);
        return first_;
    }

  private:
    mutable std::mutex mutex_;
    std::string first_;
};
// clang-format off
vtkStandardNewMacro(Collector)
    // clang-format on

    std::mutex& one_at_a_time()
{
    static std::mutex m;
    return m;
}

} // namespace

struct VtkErrors::Impl
{
    std::unique_lock<std::mutex> hold{one_at_a_time()};
    vtkSmartPointer<vtkOutputWindow> before{vtkOutputWindow::GetInstance()};
    vtkSmartPointer<Collector> collector{vtkSmartPointer<Collector>::New()};
    vtkLogger::Verbosity verbosity{vtkLogger::GetCurrentVerbosityCutoff()};
};

VtkErrors::VtkErrors() : impl_(std::make_unique<Impl>())
{
    keep_vtk_on_one_thread();
    vtkOutputWindow::SetInstance(impl_->collector);
    vtkLogger::SetStderrVerbosity(vtkLogger::VERBOSITY_OFF); // it would print errors on its own
}

VtkErrors::~VtkErrors()
{
    vtkLogger::SetStderrVerbosity(impl_->verbosity);
    vtkOutputWindow::SetInstance(impl_->before);
}

std::string VtkErrors::first() const
{
    // "ERROR: In file.cxx, line 12\nclass (0x...): text\n\n" -> "text"
    std::string s = impl_->collector->first();
    if (const auto at = s.find("): "); at != s.npos)
        s = s.substr(at + 3);
    for (auto& c : s)
        if (c == '\n' || c == '\r')
            c = ' ';
    while (!s.empty() && s.back() == ' ')
        s.pop_back();
    return s;
}

std::string VtkErrors::first(const std::filesystem::path& part,
                             const std::filesystem::path& file) const
{
    std::string s = first();
    const std::string from = part.string(), to = file.string();
    for (auto at = s.find(from); at != s.npos; at = s.find(from, at + to.size()))
        s.replace(at, from.size(), to);
    return s;
}

} // namespace tawara::mesh::io
