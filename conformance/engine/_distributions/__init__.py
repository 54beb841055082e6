"""What torch.distributions is made of: no module here has a counterpart in torch, and none imports `distributions`."""
