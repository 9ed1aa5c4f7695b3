"""`python -m loganalyzer`."""

from loganalyzer.cli import main

if __name__ == "__main__":
    main()
