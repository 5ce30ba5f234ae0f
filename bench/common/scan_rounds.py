"""scan_rounds.py - how often the benchmarks that score a table measure: a round of a model is one measurement of each
of its ways, and the models take turns, since machines drift.
"""

import time

LEAST_ROUNDS, MOST_ROUNDS = 3, 9
# A round of at most so many seconds is repeated at least so often.
SHORT_ROUND, LEAST_SHORT_ROUNDS = 60, 5


def add_options(parser, minutes):
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, help="of each model, instead of as many as fit into the minutes")
    parser.add_argument("--minutes", type=float, default=minutes)


def check_names(parser, given, known):
    for name in given.split(","):
        if name not in known:
            parser.error(f"no {name}; there are: {', '.join(known)}")


def rounds(models, ways_of, measure, o):
    """Round after round, models in turn: measure(model, way, round) of each; a generator of models and of what it gives."""
    begun, took, done = time.monotonic(), dict.fromkeys(models, 0), dict.fromkeys(models, 0)

    def due(model):
        if o.rounds:
            return done[model] < o.rounds
        least = LEAST_SHORT_ROUNDS if took[model] <= SHORT_ROUND else LEAST_ROUNDS
        left = 60 * o.minutes - (time.monotonic() - begun)
        return done[model] < least or (done[model] < MOST_ROUNDS and took[model] < left)

    while turn := [model for model in models if due(model)]:
        for model in turn:
            if not due(model):
                continue
            start = time.monotonic()
            done[model] += 1
            for way in ways_of(model):
                yield model, measure(model, way, done[model])
            took[model] = time.monotonic() - start
