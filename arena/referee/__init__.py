"""How matches are played between real processes.

`loop` is the referee, `reception` its connections and whose they are, `bots` the processes, `transport` and `pipes` the
two ways to talk, `bot_log` what bots write.
"""
