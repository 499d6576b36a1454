/* Modules, their functions and optimizers, as programs in C++ use them. */
#include <torch/extension.h>

namespace nn = torch::nn;
namespace F = torch::nn::functional;

struct BlockImpl : nn::Cloneable<BlockImpl> {
    explicit BlockImpl(int64_t channels, double p = 0.5) : channels(channels), p(p) { reset(); }
    void reset() override {
        conv = register_module("conv", nn::Conv2d(nn::Conv2dOptions(channels, channels, 3).padding(1).bias(false)));
        norm = register_module("norm", nn::BatchNorm2d(channels));
        drop = register_module("drop", nn::Dropout(p));
        scale = register_parameter("scale", torch::full({channels, 1, 1}, 0.5));
        calls = register_buffer("calls", torch::zeros({}, torch::kLong));
    }
    torch::Tensor forward(torch::Tensor x) {
        calls += 1;
        return x + scale * drop(F::leaky_relu(norm(conv(x)), F::LeakyReLUFuncOptions().negative_slope(0.1)));
    }
    int64_t channels;
    double p;
    nn::Conv2d conv{nullptr};
    nn::BatchNorm2d norm{nullptr};
    nn::Dropout drop{nullptr};
    torch::Tensor scale, calls;
};
TORCH_MODULE(Block);

static nn::Sequential network() {
    torch::manual_seed(3);
    return nn::Sequential(nn::Conv2d(1, 4, 3), nn::ReLU(), Block(4, 0.0), nn::MaxPool2d(nn::MaxPool2dOptions(2).stride(2)),
                          nn::Flatten(), nn::Linear(36, 3), nn::Functional(torch::log_softmax, 1, torch::nullopt));
}

std::vector<double> train(const std::string &how, int64_t steps) {
    auto net = network();
    std::unique_ptr<torch::optim::Optimizer> optimizer;
    if (how == "SGD")
        optimizer = std::make_unique<torch::optim::SGD>(
            net->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9).nesterov(true).weight_decay(1e-3));
    else if (how == "Adam")
        optimizer = std::make_unique<torch::optim::Adam>(
            net->parameters(), torch::optim::AdamOptions(0.02).betas(std::make_tuple(0.5, 0.9)));
    else optimizer = std::make_unique<torch::optim::RMSprop>(net->parameters(), 0.01);
    auto x = torch::linspace(-1, 1, 2 * 64).reshape({2, 1, 8, 8});
    auto target = torch::tensor({0, 2}, torch::kLong);
    std::vector<double> losses;
    for (int64_t i = 0; i < steps; i++) {
        optimizer->zero_grad();
        auto loss = F::nll_loss(net->forward(x), target);
        loss.backward();
        optimizer->step();
        losses.push_back(loss.item<double>());
        for (auto &group : optimizer->param_groups()) group.options().set_lr(group.options().get_lr() * 0.5);
    }
    return losses;
}

std::vector<torch::Tensor> functions(const torch::Tensor &x) {
    auto flat = x.flatten(1);
    return {
        F::pad(x, F::PadFuncOptions({1, 1, 2, 2}).mode(torch::kReflect)),
        F::pad(x, F::PadFuncOptions({1, 0}).value(2.5)),
        F::interpolate(x, F::InterpolateFuncOptions().size(std::vector<int64_t>{6, 5}).mode(torch::kBilinear).align_corners(false)),
        F::interpolate(x, F::InterpolateFuncOptions().scale_factor(std::vector<double>({2, 1})).mode(torch::kNearest)),
        F::conv2d(x, torch::ones({1, 1, 3, 3}), F::Conv2dFuncOptions().padding(torch::kSame)),
        F::conv2d(x, torch::ones({1, 1, 3, 3}), F::Conv2dFuncOptions().stride({2, 1}).padding(1)),
        F::max_pool2d(x, F::MaxPool2dFuncOptions(2)) + F::avg_pool2d(x, F::AvgPool2dFuncOptions({2, 2}).stride(2)),
        F::adaptive_avg_pool2d(x, F::AdaptiveAvgPool2dFuncOptions({2, 3})),
        F::softmax(F::normalize(flat, F::NormalizeFuncOptions().p(1).dim(-1)), 1),
        F::layer_norm(x, F::LayerNormFuncOptions({4}).eps(2e-5)),
        F::grid_sample(x, torch::zeros({1, 1, 1, 2}), F::GridSampleFuncOptions().align_corners(true)),
        F::unfold(x, F::UnfoldFuncOptions({2, 2}).stride(2)),
        F::gelu(x) + F::elu(x, F::ELUFuncOptions().alpha(0.3)) + F::softplus(x) + F::silu(x) + F::hardtanh(x),
        F::mse_loss(flat, torch::zeros_like(flat), F::MSELossFuncOptions(torch::kSum)),
        F::smooth_l1_loss(flat, torch::ones_like(flat)) + F::huber_loss(flat, torch::ones_like(flat)),
        F::cross_entropy(flat, torch::tensor({3}, torch::kLong), F::CrossEntropyFuncOptions().label_smoothing(0.1)),
        F::binary_cross_entropy_with_logits(flat, torch::ones_like(flat),
                                            F::BinaryCrossEntropyWithLogitsFuncOptions().reduction(torch::kMean)),
        F::kl_div(F::log_softmax(flat, 1), F::softmax(flat, 1), F::KLDivFuncOptions(torch::kBatchMean)),
        F::dropout(x, F::DropoutFuncOptions().p(0.9).training(false)),
        F::one_hot(torch::tensor({0, 2}, torch::kLong), 3),
    };
}

std::string describe() {
    auto net = network();
    std::ostringstream text;
    text << net << '\n';
    for (const auto &pair : net->named_parameters()) text << pair.key() << pair.value().sizes() << ' ';
    for (const auto &pair : net->named_buffers()) text << pair.key() << ' ';
    for (const auto &pair : net->named_modules()) text << '/' << pair.key();
    return text.str();
}

/* Copies share nothing; train, eval, zero_grad and to reach every module. */
std::vector<bool> properties() {
    Block block(2);
    Block copy(std::dynamic_pointer_cast<BlockImpl>(block->clone()));
    bool equal = torch::equal(copy->conv->weight, block->conv->weight);
    {
        torch::NoGradGuard no_grad;
        block->conv->weight.fill_(7);
    }
    bool apart = !torch::equal(copy->conv->weight, block->conv->weight);
    block->forward(torch::ones({2, 2, 3, 3})).sum().backward();
    bool counted = block->calls.item<int64_t>() == 1 && copy->calls.item<int64_t>() == 0;
    bool graded = block->scale.grad().defined();
    block->zero_grad();
    bool cleared = !block->scale.grad().defined();
    block->eval();
    bool evaluates = !block->drop->is_training();
    block->to(torch::kDouble);
    bool converted = block->norm->running_var.dtype() == torch::kDouble && block->scale.dtype() == torch::kDouble;
    nn::ModuleList list(nn::Linear(2, 3), nn::Tanh());
    list->push_back(nn::Linear(nn::LinearOptions(3, 1).bias(false)));
    auto x = torch::ones({1, 2});
    x = list->at<nn::LinearImpl>(2).forward(list->at<nn::TanhImpl>(1).forward(list[0]->as<nn::Linear>()->forward(x)));
    bool listed = list->size() == 3 && list->parameters().size() == 3 && x.numel() == 1;
    nn::Sequential named({{"first", nn::Linear(2, 2)}, {"second", nn::Sigmoid()}});
    bool by_name = named->named_parameters().contains("first.weight") && named->named_children().keys()[1] == "second";
    return {equal, apart, counted, graded, cleared, evaluates, converted, listed, by_name};
}

/* Containers by name, lists of parameters, and what torch::nn::utils does. */
std::vector<double> contained() {
    nn::ModuleDict layers;
    layers->update({{"first", nn::Linear(2, 3).ptr()}, {"last", nn::Tanh().ptr()}});
    layers->update({{"last", nn::Sigmoid().ptr()}});
    nn::ParameterList list(torch::ones({2}), torch::full({3}, 2.0));
    list->append(torch::full({1}, 5.0));
    nn::ParameterDict named;
    named->insert("w", torch::full({2}, 3.0, torch::requires_grad()));
    named->insert("b", torch::zeros({1}));
    double popped = named->pop("b").numel();
    std::vector<torch::Tensor> parameters{torch::ones({2}, torch::requires_grad()), torch::full({1}, 2.0, torch::requires_grad())};
    (parameters[0] * 3).sum().add((parameters[1] * 4).sum()).backward();
    double norm = nn::utils::clip_grad_norm_(parameters, 1.0);
    double scaled = parameters[0].grad()[0].item<double>();
    nn::utils::clip_grad_value_(parameters, 0.25);
    auto vector = nn::utils::parameters_to_vector(parameters);
    nn::utils::vector_to_parameters(torch::arange(3, torch::kFloat), parameters);
    return {double(layers->size()), double(layers->contains("last")), double(layers->parameters().size()),
            layers->at<nn::SigmoidImpl>("last").forward(torch::zeros({1})).item<double>(), double(list->size()),
            list[2].item<double>(), double(named->contains("b")), named["w"].sum().item<double>(), popped, norm, scaled,
            parameters[0].grad()[1].item<double>(), vector.sum().item<double>(), parameters[1].item<double>()};
}

/* Learning rates after each step of a schedule. */
std::vector<double> scheduled(int64_t steps) {
    auto parameter = torch::ones({1}, torch::requires_grad());
    torch::optim::SGD optimizer({parameter}, torch::optim::SGDOptions(1.0));
    torch::optim::StepLR schedule(optimizer, 2, 0.5);
    std::vector<double> rates;
    for (int64_t i = 0; i < steps; i++) {
        parameter.mutable_grad() = torch::ones({1});
        optimizer.step();
        schedule.step();
        rates.push_back(optimizer.param_groups()[0].options().get_lr());
    }
    rates.push_back(parameter.item<double>());
    return rates;
}

/* What comes back from files, streams and bytes. */
std::vector<bool> saved(const std::string &path) {
    auto x = torch::arange(6).reshape({2, 3}).t();
    torch::Tensor y;
    torch::save(x, path);
    torch::load(y, path);
    std::vector<torch::Tensor> many{x, torch::ones({2})}, read;
    std::stringstream stream;
    torch::save(many, stream);
    torch::load(read, stream);
    Block block(2), other(2);
    block->calls.fill_(4);
    torch::save(block, path);
    torch::load(other, path);
    auto bytes = torch::pickle_save(x);
    return {torch::equal(x, y) && y.sizes() == x.sizes(), read.size() == 2 && torch::equal(read[1], many[1]),
            torch::equal(block->conv->weight, other->conv->weight) && other->calls.item<int64_t>() == 4,
            torch::equal(torch::pickle_load(bytes).toTensor(), x)};
}

void wrong(const std::string &what) {
    if (what == "name") nn::Linear(1, 1)->register_parameter("a.b", torch::ones(1));
    if (what == "twice") nn::Linear(1, 1)->register_parameter("weight", torch::ones(1));
    if (what == "empty") nn::Linear(nullptr)->forward(torch::ones(1));
    if (what == "dimensions") nn::BatchNorm2d(3)->forward(torch::ones({2, 3}));
    if (what == "input") nn::Sequential(nn::Linear(1, 1))->forward(1.5);
    if (what == "size") F::max_pool2d(torch::ones({1, 4, 4}), F::MaxPool2dFuncOptions({1, 2, 3}));
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("train", &train, py::call_guard<py::gil_scoped_release>());
    m.def("functions", &functions);
    m.def("describe", &describe);
    m.def("properties", &properties, py::call_guard<py::gil_scoped_release>());
    m.def("wrong", &wrong);
    m.def("contained", &contained, py::call_guard<py::gil_scoped_release>());
    m.def("scheduled", &scheduled, py::call_guard<py::gil_scoped_release>());
    m.def("saved", &saved);
}
