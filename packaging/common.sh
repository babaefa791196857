# Shared by quickstart.sh and test.sh. Sourced, not run; expects to be in the repository root.
# shellcheck shell=bash

KW_PACKAGES_BUILD=(build-essential cmake ninja-build ccache git python3 python3-pip python3-venv pkg-config
  qt6-base-dev qt6-tools-dev qt6-tools-dev-tools qt6-l10n-tools libqt6svg6-dev libqscintilla2-qt6-dev libqcustomplot-dev libgl1-mesa-dev
  libfmt-dev libspdlog-dev nlohmann-json3-dev libtomlplusplus-dev libcli11-dev libmd-dev librandom123-dev zlib1g-dev libzstd-dev libsimdjson-dev libsqlitecpp-dev libsqlite3-dev libgit2-dev libcurl4-openssl-dev libzip-dev
  libbenchmark-dev)
KW_PACKAGES_RUN=(qt6-translations-l10n xvfb xauth xdotool imagemagick fonts-inter fonts-jetbrains-mono bubblewrap)
KW_PACKAGES_CHECK=(desktop-file-utils appstream libxml2-utils clang-19 clang-format-19 clang-tidy-19 libclang-rt-19-dev)

KW_STARTED=$SECONDS
step() { printf '\n== [%3d s] %s\n' $((SECONDS - KW_STARTED)) "$*"; }
die() { printf '\n%s\n' "FAILED: $*" >&2; exit 1; }

# Runs a command as root: directly, or through sudo where that needs no questions answered blindly.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else return 1; fi
}

# Installs the Debian packages that are missing, and says what to do where it may not.
install_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  if [ ${#missing[@]} = 0 ]; then echo "all packages are there"; return; fi
  command -v apt-get >/dev/null || die "this script installs with apt-get; on this system install the equivalents of: ${missing[*]}"
  echo "installing ${#missing[@]} packages: ${missing[*]}"
  as_root apt-get update -qq || die "cannot install packages without root; run: apt-get install ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >build/apt.log 2>&1 \
    || { tail -n 5 build/apt.log >&2; die "apt-get install failed (build/apt.log)"; }
}

# Makes sure that NVRTC and the CUDA headers can be found: an installed toolkit, else NVIDIA's redistributable wheels, unpacked into
# build/toolkit, where the programs look last. Without either, everything but compiling kernels works, and the programs say so.
provide_toolkit() {
  local folder
  for folder in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda build/toolkit/nvidia/cu13; do
    if [ -n "$folder" ] && ls "$folder"/lib64/libnvrtc.so* "$folder"/lib/libnvrtc.so* >/dev/null 2>&1; then
      echo "CUDA toolkit: $folder"; return
    fi
  done
  if ldconfig -p 2>/dev/null | grep -q libnvrtc; then echo "CUDA toolkit: on the loader's path"; return; fi
  echo "no CUDA toolkit; fetching NVIDIA's redistributable wheels (about 105 MB) into build/toolkit"
  mkdir -p build/toolkit/wheels
  if python3 -m pip download -q --no-deps -d build/toolkit/wheels 'nvidia-cuda-nvrtc==13.0.*' 'nvidia-cuda-runtime==13.0.*' \
      'nvidia-cuda-crt==13.0.*' 'nvidia-cuda-cccl==13.0.*' 'nvidia-cuda-cupti==13.0.*' >build/toolkit/pip.log 2>&1; then
    local wheel
    for wheel in build/toolkit/wheels/*.whl; do python3 -m zipfile -e "$wheel" build/toolkit; done
    rm -rf build/toolkit/wheels
  else
    echo "could not fetch them (build/toolkit/pip.log); install the CUDA Toolkit to compile kernels. Going on without."
  fi
}

# A server of others, the vendors' own types and Harbor's models of ATIF (its wheel alone: the program around them needs
# a newer Python), for the tests of protocols and exports; without them those tests skip.
provide_llm_tools() {
  [ -x build/llm-tools/bin/fakellm ] && [ -d build/llm-tools/wheels ] && { echo "there"; return; }
  if python3 -m venv build/llm-tools >build/llm-tools.log 2>&1 \
      && build/llm-tools/bin/pip install -q fakellm openai anthropic >>build/llm-tools.log 2>&1 \
      && build/llm-tools/bin/pip download -q --no-deps --python-version 3.13 --only-binary=:all: -d build/llm-tools/wheels \
          harbor==0.26.0 >>build/llm-tools.log 2>&1; then
    echo "installed into build/llm-tools"
  else
    echo "could not install them (build/llm-tools.log); going on without"
  fi
}

# PyTorch for the tests of tasks whose reference is a PyTorch problem, on the CPU. Most of its CUDA libraries are the installed
# toolkit's own; where there is none, or it lacks cuDNN, several more gigabytes would be needed, and those tests skip.
provide_torch() {
  [ -x build/torch/python ] && { echo "there"; return; }
  local cuda="${CUDA_HOME:-/usr/local/cuda}"
  ls "$cuda"/lib64/libcudnn.so.9 "$cuda"/lib64/libcublas.so.13 >/dev/null 2>&1 || { echo "no toolkit with cuDNN; going on without"; return; }
  if python3 -m venv build/torch/venv >build/torch.log 2>&1 \
      && build/torch/venv/bin/pip install -q --no-deps torch==2.15.0 nvidia-nccl-cu13==2.30.7 nvidia-cusparselt-cu13==0.8.1 \
          nvidia-nvshmem-cu13==3.7.2 nvidia-cufile==1.20.0.107 >>build/torch.log 2>&1 \
      && build/torch/venv/bin/pip install -q numpy filelock typing-extensions sympy networkx jinja2 fsspec 'setuptools>=77.0.3' \
          >>build/torch.log 2>&1; then
    local libraries
    libraries=$(find "$PWD"/build/torch/venv/lib -type d -path '*/nvidia/*/lib' -printf '%p:')
    printf '#!/bin/sh\nLD_LIBRARY_PATH=%s%s/lib64:%s/extras/CUPTI/lib64 exec %s/build/torch/venv/bin/python "$@"\n' \
      "$libraries" "$cuda" "$cuda" "$PWD" >build/torch/python
    chmod +x build/torch/python
    build/torch/python -c 'import torch; print("PyTorch", torch.__version__)' 2>>build/torch.log \
      || { rm -f build/torch/python; echo "it cannot be imported (build/torch.log); going on without"; }
  else
    echo "could not install it (build/torch.log); going on without"
  fi
}

# build_preset PRESET [TARGET…]
build_preset() {
  local preset=$1; shift
  cmake --preset "$preset" >"build/configure-$preset.log" 2>&1 || { tail -n 20 "build/configure-$preset.log" >&2; die "configuring $preset"; }
  cmake --build --preset "$preset" ${1:+--target "$@"} || die "building $preset"
}
