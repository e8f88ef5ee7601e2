"""Views of an environment for other consumers: text, single-agent, vectorised."""
