"""Opinion mining with Microsoft's client for Azure Language against `imn serve`.

    AZURE_KEY=KEY python azure_client.py http://127.0.0.1:3000

The client is used as its documentation shows, with the address of the server as endpoint. It
accepts an endpoint without TLS together with a key, so nothing is replaced or switched off.
"""

import os
import sys

from azure.ai.textanalytics import TextAnalyticsClient
from azure.core.credentials import AzureKeyCredential
from azure.core.exceptions import ClientAuthenticationError, HttpResponseError

TEXT = "👍🏽 The ramen was wonderful. The waiter was rude. The tea was not hot."


def client(endpoint, key):
    return TextAnalyticsClient(endpoint, AzureKeyCredential(key), retry_total=0)


def opinions(endpoint, key):
    """Targets, assessments and offsets, in each unit that the client knows."""
    units = {
        "UnicodeCodePoint": lambda text: list(text),
        "Utf16CodeUnit": lambda text: [
            text.encode("utf-16-le")[i : i + 2] for i in range(0, 2 * len(utf16(text)), 2)
        ],
    }
    for unit, split in units.items():
        documents = [
            {"id": "a", "language": "en", "text": TEXT},
            {"id": "b", "language": "fr", "text": "Bonjour"},
        ]
        with client(endpoint, key) as azure:
            first, second = azure.analyze_sentiment(
                documents, show_opinion_mining=True, show_stats=True, string_index_type=unit
            )
        assert not first.is_error and first.id == "a" and first.sentiment == "mixed", first
        assert first.statistics.character_count > 0 and first.warnings == []
        assert second.is_error and second.id == "b", second
        assert second.error.code == "UnsupportedLanguageCode", second.error
        found = {}
        for sentence in first.sentences:
            for mined in sentence.mined_opinions:
                target = mined.target
                letters = split(TEXT)[target.offset : target.offset + target.length]
                assert letters == split(target.text), (unit, target)
                found[target.text] = (
                    target.sentiment,
                    [(one.text, one.is_negated) for one in mined.assessments],
                )
        assert found["ramen"] == ("positive", [("wonderful", False)]), found
        assert found["waiter"] == ("negative", [("rude", False)]), found
        assert found["tea"][0] == "negative" and found["tea"][1][0][1] is True, found
        print(f"{unit}: {found}")


def utf16(text):
    return text.encode("utf-16-le")[::2]


def plain(endpoint, key):
    """Texts as strings, without opinion mining."""
    with client(endpoint, key) as azure:
        good, bad = azure.analyze_sentiment(["Great soup.", "Awful service."], language="en")
    assert (good.sentiment, bad.sentiment) == ("positive", "negative"), (good, bad)
    assert good.confidence_scores.positive > good.confidence_scores.negative
    assert good.sentences[0].mined_opinions in (None, []), good


def errors(endpoint, key):
    """The client turns errors into its own exceptions."""
    try:
        client(endpoint, "wrong").analyze_sentiment(["Fine."])
        sys.exit("a wrong key was accepted")
    except ClientAuthenticationError as error:
        assert error.status_code == 401
    try:
        client(endpoint, key).analyze_sentiment(["Fine."], model_version="none")
        sys.exit("an unknown model was accepted")
    except HttpResponseError as error:
        assert error.status_code == 422 and "no model `none`" in str(error), error
    try:
        client(endpoint, key).analyze_sentiment(["Fine."] * 1000)
        sys.exit("a thousand documents were accepted")
    except HttpResponseError as error:
        assert error.status_code == 413, error


def main():
    endpoint, key = sys.argv[1], os.environ["AZURE_KEY"]
    opinions(endpoint, key)
    plain(endpoint, key)
    errors(endpoint, key)
    print("azure-ai-textanalytics: no failure")


if __name__ == "__main__":
    main()
