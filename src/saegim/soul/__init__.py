"""The self: who memories make of us. Models may propose; only a person says yes."""
