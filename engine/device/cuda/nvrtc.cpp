// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/nvrtc.hpp"

#include "engine/core/error.hpp"
#include "engine/core/kept_files.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/digest/sha256.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <optional>
#include <string_view>
#include <vector>

namespace tawara::device::cuda {
namespace {

namespace fs = std::filesystem;
using Program = void*; // nvrtcProgram, an opaque pointer

/// The functions of libnvrtc that are used; 0 is NVRTC_SUCCESS.
struct Nvrtc
{
    std::string missing; ///< why it cannot be used; empty: it can
    int major = 0, minor = 0;
    int (*version)(int*, int*) = nullptr;
    int (*create)(Program*, const char*, const char*, int, const char* const*,
                  const char* const*) = nullptr;
    int (*destroy)(Program*) = nullptr;
    int (*compile)(Program, int, const char* const*) = nullptr;
    int (*log_size)(Program, std::size_t*) = nullptr;
    int (*log)(Program, char*) = nullptr;
    int (*cubin_size)(Program, std::size_t*) = nullptr;
    int (*cubin)(Program, char*) = nullptr;
    int (*ptx_size)(Program, std::size_t*) = nullptr;
    int (*ptx)(Program, char*) = nullptr;
    const char* (*error)(int) = nullptr;
};

std::vector<std::string> places()
{
    std::vector<std::string> folders;
    std::error_code e;
    if (const fs::path self = fs::read_symlink("/proc/self/exe", e); !e) {
        folders.push_back(self.parent_path().string());
        folders.push_back((self.parent_path().parent_path() / "lib").string());
    }
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* root = std::getenv(name); root && *root)
            folders.push_back(std::string(root) + "/lib64");
    folders.push_back("/usr/local/cuda/lib64");
    return folders;
}

void* open_library(std::string& searched)
{
    const char* names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
    for (const auto& folder : places()) {
        searched += (searched.empty() ? "" : ", ") + folder;
        for (const char* n : names) {
            std::error_code e;
            if (const fs::path file = fs::path(folder) / n; fs::exists(file, e))
                if (void* h = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL))
                    return h;
        }
    }
    for (const char* n : names)
        if (void* h = dlopen(n, RTLD_NOW | RTLD_LOCAL))
            return h;
    return nullptr;
}

Nvrtc load()
{
    Nvrtc n;
    std::string searched;
    void* library = open_library(searched);
    if (!library) {
        n.missing =
            "NVIDIA's run-time compiler (libnvrtc.so.13 or .12) is not here, and cell models "
            "are compiled by it; searched " +
            searched + " and the loader's path; install it or set CUDA_PATH to the CUDA toolkit";
        return n;
    }
    bool all = true;
    const auto find = [&](auto& f, const char* name) {
        f = reinterpret_cast<std::remove_reference_t<decltype(f)>>(dlsym(library, name));
        all = all && f;
    };
    find(n.version, "nvrtcVersion");
    find(n.create, "nvrtcCreateProgram");
    find(n.destroy, "nvrtcDestroyProgram");
    find(n.compile, "nvrtcCompileProgram");
    find(n.log_size, "nvrtcGetProgramLogSize");
    find(n.log, "nvrtcGetProgramLog");
    find(n.cubin_size, "nvrtcGetCUBINSize");
    find(n.cubin, "nvrtcGetCUBIN");
    find(n.ptx_size, "nvrtcGetPTXSize");
    find(n.ptx, "nvrtcGetPTX");
    find(n.error, "nvrtcGetErrorString");
    if (!all || n.version(&n.major, &n.minor) != 0)
        n.missing = "the libnvrtc found is too old or damaged; install that of CUDA 12 or 13";
    return n;
}

const Nvrtc& nvrtc()
{
    static const Nvrtc n = load();
    return n;
}

/// What everything that the machine code depends on is called: SHA-256 of all of it.
std::string key_of(const CudaSource& s, int architecture)
{
    const std::string version = nvrtc_version(), machine = std::to_string(architecture);
    std::vector<std::string_view> parts{version, machine, s.text, s.quick ? "quick" : ""};
    for (const auto& [name, text] : s.headers) {
        parts.emplace_back(name);
        parts.emplace_back(text);
    }
    for (const auto& o : s.options)
        parts.emplace_back(o);
    return sha256_of_parts(parts);
}

constexpr std::uintmax_t most_kept = std::uintmax_t{256}
                                     << 20; ///< machine code of all models [bytes]

/// A kept file: a line with the key, the number of bytes and their SHA-256, then the bytes.
std::string head_of(const std::string& key, std::string_view code)
{
    return "tawara cubin 2 " + key + " " + std::to_string(code.size()) + " " + sha256(code) + "\n";
}

bool read_cached(const KeptFiles& kept, const std::string& key, std::vector<char>& code)
{
    const auto text = kept.content(key);
    if (!text)
        return false;
    const auto end = text->find('\n');
    if (end == text->npos)
        return false;
    const std::string_view bytes = std::string_view(*text).substr(end + 1);
    if (text->substr(0, end + 1) != head_of(key, bytes))
        return false;
    code.assign(bytes.begin(), bytes.end());
    return true;
}

/// A cache that cannot be written is no failure: the code is compiled again next time.
void write_cached(const KeptFiles& kept, const std::string& key, const std::vector<char>& code)
{
    const std::string_view bytes(code.data(), code.size());
    const auto head = head_of(key, bytes);
    if (!kept.make_room(head.size() + bytes.size()))
        return;
    try {
        write_whole(kept.file(key), [&](std::ostream& out) { out << head << bytes; });
        kept.take_from_others(key);
    } catch (const InputError&) {
    }
}

class Compilation
{
  public:
    Compilation(const CudaSource& s, int architecture) : n_(nvrtc()), name_(s.name)
    {
        if (!n_.missing.empty())
            throw InputError("cell model " + s.name, n_.missing);
        std::vector<const char*> names, texts, options;
        for (const auto& [name, text] : s.headers) {
            names.push_back(name.c_str());
            texts.push_back(text.c_str());
        }
        check(n_.create(&program_, s.text.c_str(), (s.name + ".cu").c_str(),
                        static_cast<int>(names.size()), texts.data(), names.data()));
        const std::string target = "--gpu-architecture=sm_" + std::to_string(architecture);
        options = {target.c_str(), "--std=c++17", "--device-as-default-execution-space"};
        if (s.quick && (n_.major > 12 || (n_.major == 12 && n_.minor >= 8)))
            options.push_back("--Ofast-compile=max");
        for (const auto& o : s.options)
            options.push_back(o.c_str());
        const int status = n_.compile(program_, static_cast<int>(options.size()), options.data());
        std::size_t size = 0;
        if (n_.log_size(program_, &size) == 0 && size > 1) {
            log_.resize(size);
            n_.log(program_, log_.data());
            log_.resize(size - 1);
        }
        if (status != 0) {
            const std::string text = n_.error(status) + std::string(": ") + log_;
            n_.destroy(&program_);
            throw Error("NVRTC cannot compile cell model " + name_ + ": " + text);
        }
    }
    ~Compilation() { n_.destroy(&program_); }
    Compilation(const Compilation&) = delete;
    Compilation& operator=(const Compilation&) = delete;

    template <class Size, class Get>
    std::vector<char> result(Size size_of, Get get)
    {
        std::size_t size = 0;
        check(size_of(program_, &size));
        std::vector<char> out(size);
        check(get(program_, out.data()));
        return out;
    }
    const std::string& log() const { return log_; }

  private:
    void check(int status) const
    {
        if (status != 0)
            throw Error("NVRTC, cell model " + name_ + ": " + n_.error(status));
    }
    const Nvrtc& n_;
    std::string name_, log_;
    Program program_ = nullptr;
};

} // namespace

std::string nvrtc_missing_reason()
{
    return nvrtc().missing;
}

std::string nvrtc_version()
{
    const auto& n = nvrtc();
    return n.missing.empty() ? std::to_string(n.major) + "." + std::to_string(n.minor) : "";
}

CudaBinary compile_cuda(const CudaSource& s, int architecture, const std::filesystem::path& cache)
{
    if (const auto why = nvrtc_missing_reason(); !why.empty())
        throw InputError("cell model " + s.name, why);
    const auto start = std::chrono::steady_clock::now();
    const auto ms = [&] {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count();
    };
    CudaBinary b;
    const std::string key = key_of(s, architecture);
    std::optional<KeptFiles> kept;
    if (!cache.empty())
        kept.emplace(cache, ".cubin", most_kept);
    if (kept && read_cached(*kept, key, b.code)) {
        b.from_cache = true;
        b.ms = ms();
        return b;
    }
    Compilation c(s, architecture);
    b.code = c.result(nvrtc().cubin_size, nvrtc().cubin);
    b.log = c.log();
    if (kept)
        write_cached(*kept, key, b.code);
    b.ms = ms();
    return b;
}

std::string compile_to_ptx(const CudaSource& s, int architecture)
{
    const auto text = Compilation(s, architecture).result(nvrtc().ptx_size, nvrtc().ptx);
    return {text.data()};
}

} // namespace tawara::device::cuda
