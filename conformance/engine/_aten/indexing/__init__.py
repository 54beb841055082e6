"""Reading and writing through indices and masks."""
