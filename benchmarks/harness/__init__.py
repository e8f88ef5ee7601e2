"""What every script runs on: options, matches, workers, records."""
