"""Pages, tables, figures and statistics; knows the records and no game."""
