"""The desk as a service to other programs."""
