"""Tests of the folder of the same name; a package, because file names repeat between folders."""
