"""Never started: the configs beside this folder only name it."""
