"""Is a bot fit to enter? One process of it, a polite referee and a rude one, and words for whatever goes wrong.

`conversation` talks to processes and keeps a record, `tables` plays matches in which the other seat is played here,
`bench` is what steps work with, `polite` and `attacks` are the steps, `steps` their list and the run, `tacocat` what
all this knows of the game, `hints` what to do about a failure, `report` the words.
"""
