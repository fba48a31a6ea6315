"""Lets `python -m bot` stand in for the `gpubot` program."""

from bot.cli import main

if __name__ == "__main__":
    main()
