#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace kw::cli {

struct RunArguments {
    std::string file;                   ///< the program's source
    std::vector<std::string> arguments; ///< of the program
    std::string device;                 ///< "sim:a100", "cuda", "cuda:1"; empty: the first GPU model
    std::vector<std::string> nvcc;      ///< further options for nvcc
    std::uint64_t instructions = 0; ///< warp instructions of a launch before it is stopped; 0: the simulator's limit
    std::string sanitize;           ///< as device::checks_from reads it; empty: what is always looked for
    std::string toolkit;            ///< folder of the CUDA Toolkit, or a library in it; empty: searched for
    std::string worker;             ///< as --worker has it; programs run here alone
};

CLI::App* add_run(CLI::App& app, RunArguments& arguments);

/// Compiles a program with the user's nvcc and runs it, on the simulator or on a GPU. Gives the program's own status
/// (128 + signal when one ended it); 1 when it does not compile, 2 and 3 as every command does.
[[nodiscard]] int run_command(const RunArguments& arguments);

/// Takes what follows FILE in `kw … run … FILE ARGS…` out of the arguments, as it is.
[[nodiscard]] std::vector<std::string> take_program_arguments(int& argc, char** argv);

} // namespace kw::cli
