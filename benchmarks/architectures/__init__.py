"""What model classes of transformers do with position: expected, read and measured."""
