"""Reading one page of the web without being led anywhere else: addresses, fetching, extraction."""
