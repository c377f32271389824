"""Where and when: time words, sentences, parts of a long turn."""
