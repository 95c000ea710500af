"""The document's file, its journal and the files opened lately."""
