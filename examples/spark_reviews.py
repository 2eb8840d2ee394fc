"""Aspects of reviews by month with Apache Spark: Parquet in, Parquet out.

    python examples/spark_reviews.py reviews.parquet aspects.parquet --text text --day written

Without --master it runs on this machine, or where spark-submit says. The package imn must be
installed on every machine of the cluster.
"""

from __future__ import annotations

import argparse
import os
import sys

from pyspark.sql import SparkSession

import imn.spark

QUERY = """
    SELECT date_format(day, 'yyyy-MM') AS month,
           lower(aspect) AS aspect,
           count(*) AS mentions,
           count_if(sentiment = 'positive') AS positive,
           count_if(sentiment = 'negative') AS negative
    FROM aspects
    GROUP BY 1, 2
    ORDER BY month, mentions DESC, aspect
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("input", help="Parquet file or folder with reviews")
    parser.add_argument("output", help="folder to write, one row per month and aspect")
    parser.add_argument("--text", default="text", help="text column [default: %(default)s]")
    parser.add_argument("--day", default="day", help="date column [default: %(default)s]")
    parser.add_argument("--model", help="built-in model, or a model file [default: built-in]")
    parser.add_argument("--master", help="master URL of the cluster, such as spark://HOST:7077")
    parser.add_argument("--partitions", type=int, help="partitions to analyse [default: as read]")
    options = parser.parse_args()

    # Spark starts `python3` for its workers otherwise, which may not be the one with imn.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("reviews")
    if options.master:
        builder = builder.master(options.master)
    spark = builder.getOrCreate()

    reviews = spark.read.parquet(options.input)
    if options.partitions:
        reviews = reviews.repartition(options.partitions)
    reviews = reviews.withColumnRenamed(options.day, "day")
    analyzed = imn.spark.analyze(reviews, options.text, options.model, keep=["day"])
    imn.spark.explode_aspects(analyzed).createOrReplaceTempView("aspects")
    spark.sql(QUERY).write.mode("overwrite").parquet(options.output)
    spark.read.parquet(options.output).show(20, truncate=False)
    spark.stop()


if __name__ == "__main__":
    main()
