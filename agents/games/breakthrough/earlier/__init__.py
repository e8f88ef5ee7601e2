"""What alpha-beta's second version knew of breakthrough, for the ladder that holds it.

``Rules`` here are the game's, under a name of their own, so that what is looked up by their class
is found in ``agents`` beside them.
"""
