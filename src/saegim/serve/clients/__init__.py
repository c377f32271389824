"""Connecting other programs: their configuration is edited in place and given back as it was."""

from saegim.serve.clients import flow as flow
from saegim.serve.clients import roster as roster
from saegim.serve.clients.flow import ClientState as ClientState
from saegim.serve.clients.flow import state_of as state_of
