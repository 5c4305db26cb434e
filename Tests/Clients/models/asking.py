"""Each way in which a client asks: a function of the server's URL that gives what the caller sees, as plain values.

A stream is a list of pieces; `first`, if given, is called when the first one is there. Run as a program, it asks in every way
below the URL of its first argument, and prints what came.
"""

import asyncio
import json
import sys

import anthropic
import elasticsearch
import gql
import openai
from gql.transport.aiohttp import AIOHTTPTransport
from gql.transport.requests import RequestsHTTPTransport

MODEL = "test-model"
QUESTION = [{"role": "user", "content": "Count to four"}]
CITY = {"type": "object", "properties": {"city": {"type": "string"}}}
FUNCTION = [{"type": "function", "function": {"name": "weather", "parameters": CITY}}]
TOOL = [{"name": "weather", "input_schema": CITY}]
QUERY = "query User($id: ID!) { user(id: $id) { name visits } }"


def to_openai(base, key="key-of-a-test"):
    return openai.OpenAI(base_url=base + "/v1", api_key=key, max_retries=0)


def to_anthropic(base, key="key-of-a-test"):
    return anthropic.Anthropic(base_url=base, api_key=key, max_retries=0)


def pieces(stream, first):
    """All pieces, of objects that pydantic knows."""
    found = []
    for piece in stream:
        if not found and first:
            first()
        found.append(piece.model_dump())
    return found


def chat(client, first=None, **more):
    done = client.chat.completions.create(model=MODEL, messages=QUESTION, **more)
    return pieces(done, first) if more.get("stream") else done.model_dump()


def response(client, first=None, **more):
    done = client.responses.create(model=MODEL, input="Count to four", **more)
    return pieces(done, first) if more.get("stream") else done.model_dump()


def message(client, first=None, **more):
    done = client.messages.create(model=MODEL, max_tokens=64, messages=QUESTION, **more)
    return pieces(done, first) if more.get("stream") else done.model_dump()


def after_tool(client):
    """The turn that brings a tool's result."""
    call = {"id": "call_0", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    turns = [*QUESTION, {"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "call_0", "content": "rain"}]
    return client.chat.completions.create(model=MODEL, messages=turns, tools=FUNCTION).model_dump()


PLAIN = {
    "openai, chat": lambda base: chat(to_openai(base)),
    "openai, chat with a tool": lambda base: chat(to_openai(base), tools=FUNCTION),
    "openai, a tool's result": lambda base: after_tool(to_openai(base)),
    "openai, responses": lambda base: response(to_openai(base)),
    "openai, embeddings": lambda base: to_openai(base).embeddings.create(model=MODEL, input=["a", "b"], encoding_format="float").model_dump(),
    "anthropic, messages": lambda base: message(to_anthropic(base)),
    "anthropic, messages with a tool": lambda base: message(to_anthropic(base), tools=TOOL),
}

STREAMED = {
    "openai, streamed chat": lambda base, first=None: chat(to_openai(base), first, stream=True),
    "openai, streamed chat with a tool": lambda base, first=None: chat(to_openai(base), first, stream=True, tools=FUNCTION),
    "openai, streamed responses": lambda base, first=None: response(to_openai(base), first, stream=True),
    "anthropic, streamed messages": lambda base, first=None: message(to_anthropic(base), first, stream=True),
    "anthropic, streamed messages with a tool": lambda base, first=None: message(to_anthropic(base), first, stream=True, tools=TOOL),
}


def request(text, **variables):
    made = gql.gql(text)
    made.variable_values = variables or None
    return made


def by_requests(base, text=QUERY, **variables):
    with gql.Client(transport=RequestsHTTPTransport(url=base + "/graphql")) as session:
        return session.execute(request(text, **variables))


async def ask_by_aiohttp(base, count, text, variables):
    transport = AIOHTTPTransport(url=base + "/graphql", client_session_args={"trust_env": True})
    async with gql.Client(transport=transport) as session:
        return await asyncio.gather(*(session.execute(request(text, **variables)) for _ in range(count)))


def by_aiohttp(base, count=1, text=QUERY, **variables):
    return asyncio.run(ask_by_aiohttp(base, count, text, variables))


def to_elasticsearch(base):
    # Of its ways to connect, `requests` knows proxies.
    return elasticsearch.Elasticsearch(base, max_retries=0, node_class="requests", connections_per_node=100)


def search(client):
    return client.search(index="books", query={"match": {"title": "Ulm"}}).body


def searches(client):
    return client.msearch(searches=[{"index": "books"}, {"query": {"match_all": {}}}]).body


OTHERS = {
    "gql, requests": lambda base: by_requests(base, id="1"),
    "gql, aiohttp": lambda base: by_aiohttp(base, id="2"),
    "elasticsearch, search": lambda base: search(to_elasticsearch(base)),
    "elasticsearch, count": lambda base: to_elasticsearch(base).count(index="books", query={"match_all": {}}).body,
    "elasticsearch, msearch": lambda base: searches(to_elasticsearch(base)),
}

if __name__ == "__main__":
    for name, ask in {**PLAIN, **STREAMED, **OTHERS}.items():
        print(json.dumps([name, ask(sys.argv[1])]))
