#ifndef STRATEGY_H
#define STRATEGY_H

#include "messages.h"

/* The answer to a request; it may refer to the request's own cards. */
struct cards choose(const struct request *request);

#endif
