"""What a sweep of trainings is measured beside."""
