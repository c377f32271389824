"""Every sentence of the command line, in English and Korean."""
