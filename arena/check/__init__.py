"""Is a bot fit to enter? All that a tournament does to it, rare and hostile messages, and words for what goes wrong.

`host` runs its processes by the referee's own loop, `conversation` records what one process said, `tables` plays
matches in which the other seat is played here, `choices` says how, `bench` is what steps work with, `polite` and
`attacks` are the steps, `steps` their list and the run, `hints` what to do about a failure, `report` the words.
"""
