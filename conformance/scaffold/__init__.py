"""Turn PyTorch code as people post it into scenarios, with torch's results filled in."""
