"""The Model Context Protocol: the catalogue as tools, memories as resources, over any transport."""
