"""The pages themselves: each is a module here, a template, and a line in `site.NAVIGATION`."""
