/// The whole test framework: a check that fails throws, and cannot be compiled away.
#pragma once

#include <stdexcept>
#include <string>

inline void check(bool holds, const std::string& about) {
    if (!holds) throw std::logic_error("not so: " + about);
}
