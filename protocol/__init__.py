"""The wire protocol between the arena and its bots: messages, the order they come in, and the smallest Python client.

Written for bot authors; it knows nothing of the arena. Start with README.md in this folder.
"""
