"""Native code for the CPU, written as LLVM IR and compiled by llvmlite."""
