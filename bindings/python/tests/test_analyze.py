"""`Analyzer.analyze`, `analyze_many`, `explain` and their results."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path

from conftest import EASY, sentences

import imn


def test_the_example_of_the_readme(analyzer: imn.Analyzer) -> None:
    review = analyzer.analyze(EASY)
    found = [(aspect.term, aspect.sentiment) for aspect in review.aspects]
    assert found == [("ramen", "positive"), ("waiter", "negative")]
    assert review.aspects[0].opinions[0].term == "wonderful"
    for aspect in review.aspects:
        assert 0 < aspect.span_confidence <= 1 and 0 < aspect.sentiment_confidence <= 1
    assert review.text == EASY


def test_offsets_count_code_points(analyzer: imn.Analyzer) -> None:
    text = "🍜🍜 naïve crème brûlée was superb 🎉, but the café was noisy."
    review = analyzer.analyze(text)
    assert review.aspects
    terms: list[imn.Aspect | imn.Opinion] = [*review.aspects, *review.opinions]
    for term in terms:
        assert text[term.start : term.end] == term.term
    assert review.to_dict()["offset_unit"] == "chars"


def test_records_are_those_of_the_command(
    analyzer: imn.Analyzer, command: Callable[..., str], tmp_path: Path
) -> None:
    texts = sentences(40)
    (tmp_path / "reviews.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    lines = command("analyze", tmp_path / "reviews.txt", "--offsets", "chars").splitlines()
    reviews = analyzer.analyze_many(texts)
    assert len(lines) == len(reviews) == len(texts)
    for number, (line, review) in enumerate(zip(lines, reviews, strict=True), start=1):
        expected = json.loads(line)
        assert expected.pop("row") == number
        assert review.to_dict() == expected


def test_many_texts_keep_their_order_and_equal_single_ones(analyzer: imn.Analyzer) -> None:
    texts = sentences(600)

    def generated() -> Iterator[str]:
        yield from texts

    reviews = analyzer.analyze_many(generated())
    assert [review.text for review in reviews] == texts
    assert reviews[::60] == [analyzer.analyze(text) for text in texts[::60]]
    assert imn.Analyzer(threads=1).analyze_many(texts[:100]) == reviews[:100]
    assert analyzer.analyze_many([]) == []


def test_results_have_dictionaries_and_survive_pickling(analyzer: imn.Analyzer) -> None:
    review = analyzer.analyze(EASY)
    dictionary = review.to_dict()
    aspect = review.aspects[0]
    assert dictionary["aspects"][0] == aspect.to_dict()
    assert aspect.to_dict()["span_confidence"] == aspect.span_confidence
    assert dictionary["opinions"][aspect.opinions[0].index] == review.opinions[0].to_dict()
    assert aspect.opinions[0].to_dict()["weight"] == aspect.opinions[0].weight
    assert pickle.loads(pickle.dumps(review)) == review
    assert review != analyzer.analyze("Great ramen!")
    assert review.sentiment is None or review.sentiment.to_dict() == dictionary["sentiment"]


def test_representations_are_readable_and_escaped(analyzer: imn.Analyzer) -> None:
    text = "The ramen was 'great' & \"cheap\". <script>alert(1)</script>"
    review = analyzer.analyze(text)
    assert repr(review).startswith("Review(text=") and repr(text) in repr(review)
    html = review._repr_html_()
    assert "<script" not in html
    # Terms are marked by tags; without them, the text is what it was.
    assert text in unescape(re.sub("<[^>]*>", "", html))
    assert "<mark" in html and "ramen" in html
    aspect = analyzer.analyze(EASY).aspects[0]
    assert repr(aspect) == (
        "Aspect(term='ramen', start=4, end=9, sentiment='positive', opinions=['wonderful'])"
    )


def test_explanations(analyzer: imn.Analyzer, command: Callable[..., str]) -> None:
    text = "🍜 Great ramen! The waiter was rude."
    explanation = analyzer.explain(text)
    expected = json.loads(command("explain", "--to", "json", "--offsets", "chars", text))
    assert explanation.to_dict() == expected
    sentence = explanation.sentences[-1]
    assert sentence.tokens[:2] == ["The", "waiter"]
    assert [text[start:end] for start, end in sentence.spans] == sentence.tokens
    assert len(sentence.rounds[0]["tags"]) == len(sentence.tokens)
    assert explanation.review == analyzer.analyze(text)
    assert explanation.to_svg().startswith("<svg") and "<html" in explanation.to_html()
    assert "waiter" in str(explanation) and "\x1b" not in str(explanation)
    assert "<svg" in explanation._repr_html_()


def test_an_explanation_keeps_to_the_minimum_confidence() -> None:
    unsure = imn.Analyzer(min_confidence=1.0).explain("The soup was cold.")
    assert unsure.review.aspects == []
    assert unsure.to_dict()["analysis"]["aspects"] == []
    assert unsure.sentences


def test_information_about_models(analyzer: imn.Analyzer) -> None:
    info = analyzer.info
    models = imn.models()
    assert [model["name"] for model in models if model["default"]] == [info.name]
    assert info.scheme == info.schemes[0]
    assert info.parameters > 1000 and info.dev_scores["F1-I"] > 0
    assert info.to_dict()["schemes"] == info.schemes
    for model in models:
        last = imn.Analyzer(model["name"]).info.schemes[-1]
        other = imn.Analyzer(model["name"], scheme=last).info
        assert other.name == model["name"] and other.scheme == last


def test_the_threshold_removes_terms() -> None:
    assert imn.Analyzer(min_confidence=1.0).analyze(EASY).aspects == []
