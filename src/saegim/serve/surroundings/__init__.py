"""What surrounds a store on this machine: clients, hooks, a server, the settings; all examined."""
