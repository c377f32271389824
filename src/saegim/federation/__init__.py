"""What houses teach each other: opt-in, invite-only, weights of the small policy, never a memory.

The house clips its update, adds noise and counts what that costs (`house`, `privacy`); a process
of its own without the store (`peer_process`) signs it (`envelope`), sends it to the members of the
swarm (`swarm`, `tcp_transport`), and makes one model of what all of them sent (`rounds`,
`aggregate`). What comes back is a candidate that must win on the person's own traces.
"""
