"""Aspects, opinions and sentiments in reviews.

>>> import imn
>>> analyzer = imn.Analyzer()
>>> review = analyzer.analyze("The ramen was wonderful, but our waiter ignored us.")
>>> for aspect in review.aspects:
...     print(aspect.term, aspect.sentiment, [opinion.term for opinion in aspect.opinions])
ramen positive ['wonderful']
waiter negative ['ignored']

`imn.polars` adds an expression to Polars, and `imn.spark` analyses data frames of Apache Spark.
"""

from ._imn import (
    Analyzer,
    ArrowStream,
    Aspect,
    ConfigError,
    DataError,
    Error,
    ExplainedSentence,
    Explanation,
    InternalError,
    LinkedOpinion,
    ModelError,
    ModelInfo,
    Opinion,
    Review,
    TextSentiment,
    TrainError,
    models,
)
from ._scores import Evaluation, RunScores, ScoreReport, evaluate, score
from ._training import TrainedModel, train

__version__ = "0.1.0"

__all__ = [
    "Analyzer",
    "ArrowStream",
    "Aspect",
    "ConfigError",
    "DataError",
    "Error",
    "Evaluation",
    "ExplainedSentence",
    "Explanation",
    "InternalError",
    "LinkedOpinion",
    "ModelError",
    "ModelInfo",
    "Opinion",
    "Review",
    "RunScores",
    "ScoreReport",
    "TextSentiment",
    "TrainError",
    "TrainedModel",
    "evaluate",
    "models",
    "score",
    "train",
]
