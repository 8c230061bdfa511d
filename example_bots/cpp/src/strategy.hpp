#pragma once

#include "messages.hpp"

/// The answer to a request.
Cards choose(const Request& request);
