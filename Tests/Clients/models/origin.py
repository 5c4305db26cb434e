"""An origin that answers as OpenAI, Anthropic, a GraphQL server and Elasticsearch do, each time with another number."""

import json

from clients import Origin

WORDS = ["One ", "two ", "three ", "four."]
ARGUMENTS = ['{"city"', ': "Ul', 'm"}']


class ModelOrigin(Origin):
    """Counts requests. `gate`, if set, holds every answer back: streams after the first event, others altogether."""

    def __init__(self):
        # The Authorization of each.
        self.requests = []
        self.gate = None
        super().__init__(self.answer)

    def note(self, request):
        with self.lock:
            self.requests.append(request)
            return len(self.requests)

    def wait(self):
        if self.gate and not self.gate.wait(60):
            raise TimeoutError("the gate stays closed")

    def answer(self, exchange):
        content = exchange.reader.rest()
        path = exchange.target.partition("?")[0]
        number = self.note(exchange.request["Authorization"])
        kind = next(kind for end, kind in ANSWERS.items() if path.endswith(end))
        lines = content.decode().strip().splitlines()
        asked = json.loads(lines[0] if path.endswith("_msearch") else content)
        if not isinstance(asked, dict) or not asked.get("stream"):
            self.wait()
            fields = usual(exchange, number)
            return exchange.reply("200 OK", "Content-Type: application/json", *fields, content=json.dumps(kind(asked, number)).encode())
        fields = usual(exchange, number)
        exchange.head("200 OK", "Content-Type: text/event-stream; charset=utf-8", *fields, "Transfer-Encoding: chunked")
        for index, event in enumerate(kind(asked, number)):
            if index == 1:
                self.wait()
            name = f"event: {event['type']}\n" if isinstance(event, dict) and "type" in event else ""
            data = event if isinstance(event, str) else json.dumps(event)
            piece = f"{name}data: {data}\n\n".encode()
            exchange.socket.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        exchange.socket.sendall(b"0\r\n\r\n")


def usual(exchange, number):
    """Fields as these services send them. Elasticsearch says nothing about caches; before models is a network with cookies."""
    yield "X-Elastic-Product: Elasticsearch" if "/_" in exchange.target else "Cache-Control: no-cache, must-revalidate"
    if "/v1/" in exchange.target:
        yield f"Set-Cookie: __bot={number}; Path=/; HttpOnly"


# OpenAI.

def chat(asked, number):
    if asked.get("stream"):
        return chat_pieces(asked, number)
    if asked.get("tools"):
        call = {"id": f"call_{number}", "type": "function", "function": {"name": "weather", "arguments": "".join(ARGUMENTS)}}
        message, reason = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
    else:
        message, reason = {"role": "assistant", "content": "".join(WORDS)}, "stop"
    choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
    usage = {"prompt_tokens": 1, "completion_tokens": number, "total_tokens": number + 1}
    return {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": 1, "model": asked["model"], "choices": [choice], "usage": usage}


def chat_pieces(asked, number):
    def piece(delta, reason=None):
        choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
        return {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 1, "model": asked["model"], "choices": [choice]}

    if asked.get("tools"):
        function = {"name": "weather", "arguments": ""}
        yield piece({"role": "assistant", "tool_calls": [{"index": 0, "id": f"call_{number}", "type": "function", "function": function}]})
        for part in ARGUMENTS:
            yield piece({"tool_calls": [{"index": 0, "function": {"arguments": part}}]})
        yield piece({}, "tool_calls")
    else:
        yield piece({"role": "assistant", "content": ""})
        for word in WORDS:
            yield piece({"content": word})
        yield piece({}, "stop")
    yield "[DONE]"


def responses(asked, number):
    part = {"type": "output_text", "text": "".join(WORDS), "annotations": []}
    message = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": [part]}
    whole = {
        "id": f"resp_{number}", "object": "response", "created_at": 1, "status": "completed", "model": asked["model"], "output": [message],
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None, "instructions": None, "metadata": {},
    }
    if not asked.get("stream"):
        return whole
    events = [{"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}}]
    place = {"item_id": message["id"], "output_index": 0, "content_index": 0}
    events += [{"type": "response.output_text.delta", **place, "delta": word, "logprobs": []} for word in WORDS]
    events.append({"type": "response.completed", "response": whole})
    return [{**event, "sequence_number": index} for index, event in enumerate(events)]


def embeddings(asked, number):
    texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
    vectors = [{"object": "embedding", "index": index, "embedding": [0.5, number]} for index in range(len(texts))]
    return {"object": "list", "data": vectors, "model": asked["model"], "usage": {"prompt_tokens": 1, "total_tokens": 1}}


# Anthropic.

def messages(asked, number):
    usage = {"input_tokens": 1, "output_tokens": number}
    whole = {
        "id": f"msg_{number}", "type": "message", "role": "assistant", "model": asked["model"], "stop_sequence": None, "usage": usage,
        "content": [{"type": "text", "text": "".join(WORDS)}], "stop_reason": "end_turn",
    }
    if asked.get("tools"):
        whole["content"].append({"type": "tool_use", "id": f"toolu_{number}", "name": "weather", "input": {"city": "Ulm"}})
        whole["stop_reason"] = "tool_use"
    if not asked.get("stream"):
        return whole
    events = [{"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}, {"type": "ping"}]
    for index, block in enumerate(whole["content"]):
        empty = {**block, "text": ""} if block["type"] == "text" else {**block, "input": {}}
        events.append({"type": "content_block_start", "index": index, "content_block": empty})
        for word in WORDS if block["type"] == "text" else ARGUMENTS:
            delta = {"type": "text_delta", "text": word} if block["type"] == "text" else {"type": "input_json_delta", "partial_json": word}
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    events.append({"type": "message_delta", "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None}, "usage": usage})
    return events + [{"type": "message_stop"}]


# The others.

def graphql(asked, number):
    return {"data": {"user": {"name": "Ada", "visits": number}}}


def hits(number):
    found = [{"_index": "books", "_id": "1", "_score": 1.0, "_source": {"title": "Ulm", "number": number}}]
    shards = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
    return {"took": number, "timed_out": False, "_shards": shards, "hits": {"total": {"value": 1, "relation": "eq"}, "max_score": 1.0, "hits": found}}


ANSWERS = {
    "/chat/completions": chat,
    "/responses": responses,
    "/embeddings": embeddings,
    "/v1/messages": messages,
    "/graphql": graphql,
    "/_msearch": lambda _, number: {"took": number, "responses": [{**hits(number), "status": 200}]},
    "/_search": lambda _, number: hits(number),
    "/_count": lambda _, number: {"count": number, "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0}},
}
