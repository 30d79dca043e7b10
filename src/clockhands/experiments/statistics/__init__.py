"""What a few paired runs can support: numpy alone, each number exact or seeded.

summary    median, quartiles, share of seeds that succeed
wilson     an interval for that share
bootstrap  intervals from seeds and test items drawn anew, seeds first
signs      the exact sign-flip test, and how few seeds can decide nothing
ranks      Wilcoxon's signed ranks, exact; critical differences of mean ranks
holm       many tests at once
effect     the smallest difference that so many seeds would find
"""

from clockhands.experiments.statistics.bootstrap import Interval, bootstrap
from clockhands.experiments.statistics.effect import minimum_detectable_effect
from clockhands.experiments.statistics.holm import holm
from clockhands.experiments.statistics.ranks import critical_difference, mean_ranks, wilcoxon
from clockhands.experiments.statistics.signs import seeds_needed, sign_flip, smallest_p
from clockhands.experiments.statistics.summary import Summary, summary
from clockhands.experiments.statistics.wilson import wilson

__all__ = [
    "Interval",
    "Summary",
    "bootstrap",
    "critical_difference",
    "holm",
    "mean_ranks",
    "minimum_detectable_effect",
    "seeds_needed",
    "sign_flip",
    "smallest_p",
    "summary",
    "wilcoxon",
    "wilson",
]
