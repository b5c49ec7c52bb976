"""`python -m signoff` is `signoff`."""

from signoff.cli import main

main()
