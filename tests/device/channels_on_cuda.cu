// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/device/channels_on_cuda.hpp"

#include "engine/device/cuda/own_cells.cuh"

namespace tawara::test {
namespace {

using namespace tawara::device::cuda;

template <class Real>
struct Numbers
{
    Real* states;
    TAWARA_EVERYWHERE Real& operator()(std::size_t k) const { return states[k * 32]; }
};

struct StepOfChannels
{
    ChannelRates rates;
    const double* opening_per_ms; ///< of each type

    template <class Real>
    __device__ void operator()(OwnCell<Real>& c, const cell::ReactionStep& s) const
    {
        step_channels(rates, opening_per_ms[c.type], c.unknown, s, static_cast<double>(c.stimulus),
                      c.v, Numbers<Real>{c.states});
    }
};

template <class Real>
class ChannelsOnCuda final : public DeviceReaction<Real>
{
  public:
    ChannelsOnCuda(const ChannelValues& values, StreamRef s)
        : rates_(values), opening_per_ms_(uploaded(values.opening_per_ms, s))
    {
    }
    void launch(StreamRef s, const ReactionLaunch<Real>& l) const override
    {
        step_own_cells(s, "toy channels", l, StepOfChannels{rates_, opening_per_ms_.data()});
    }

  private:
    ChannelRates rates_;
    Buffer<double> opening_per_ms_;
};

class ModelOnCuda final : public ChannelModel, public CudaReactionModel
{
  public:
    ModelOnCuda(const ChannelValues& values, bool takes_pass)
        : ChannelModel(values), takes_pass_(takes_pass)
    {
    }
    bool takes_pass() const override { return takes_pass_; }
    std::unique_ptr<DeviceReaction<double>> on_cuda_double(StreamRef s) const override
    {
        return std::make_unique<ChannelsOnCuda<double>>(values_, s);
    }
    std::unique_ptr<DeviceReaction<float>> on_cuda_single(StreamRef s) const override
    {
        return std::make_unique<ChannelsOnCuda<float>>(values_, s);
    }

  private:
    bool takes_pass_;
};

} // namespace

std::shared_ptr<const cell::ReactionModel> channels_on_cuda(const ChannelValues& values,
                                                            bool takes_pass)
{
    return std::make_shared<ModelOnCuda>(values, takes_pass);
}

} // namespace tawara::test
