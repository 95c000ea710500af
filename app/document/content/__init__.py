"""What a document holds: figures, sequences, keys and their records, without Qt."""
