"""What the command line says; the sentences are in `saegim/messages`."""
