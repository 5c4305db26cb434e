import Eventing
import Exchanges
import HTTPCore

/// Writes one request to a connection: its head, then its content as it becomes available.
struct RequestSender {
    let request: OriginRequest
    private(set) var upload: Upload

    init(_ request: OriginRequest) {
        self.request = request
        upload = Upload(framing: request.framing, awaitsContinue: request.expectsContinue)
    }

    // MARK: The head

    func sendHead(to key: PoolKey, on stream: Stream) {
        if case .relay(let parent) = key.route {
            var fields = request.fields
            adapt(&fields)
            if let authorization = parent.authorization { fields.append(.proxyAuthorization, authorization) }
            return sendHead(fields, form: request.isServerWide ? .server : .absolute, stream)
        }
        let form = request.isServerWide ? HeadSerializer.RequestForm.asterisk : .origin
        var fields = request.fields
        if upload.phase == .awaitingContinue || fields.contains(.expect) { adapt(&fields) }
        sendHead(fields, form: form, stream)
    }

    /// Replaces the client's expectation by ours, if we have one.
    private func adapt(_ fields: inout Fields) {
        fields.remove(.expect)
        if upload.phase == .awaitingContinue { fields.append(.expect, "100-continue") }
    }

    private func sendHead(_ fields: Fields, form: HeadSerializer.RequestForm, _ stream: Stream) {
        stream.append {
            HeadSerializer.appendRequest(
                request.method,
                request.uri,
                form: form,
                fields: fields,
                framing: request.framing,
                connection: request.upgrade.map { .upgrade($0) } ?? .none,
                host: request.host,
                to: &$0
            )
        }
    }

    // MARK: The content

    /// Sends the content that the request has with it, and ends it.
    mutating func sendRepeatableContent(on stream: Stream) {
        guard let content = request.repeatableContent, upload.phase == .sending else { return }
        // They fit: the length was made from the content.
        _ = send(content, on: stream)
        _ = finish(trailers: nil, on: stream)
    }

    /// Begins to send content although no `100 Continue` has been received; returns false if none is awaited.
    mutating func beginUpload() -> Bool {
        guard upload.phase == .awaitingContinue else { return false }
        upload.begin()
        return true
    }

    /// How much content to request now; 0 while there is no room.
    mutating func contentToRequest(for stream: Stream, ceiling: Int) -> Int {
        upload.ask(unsent: stream.unsentBytes, ceiling: ceiling)
    }

    /// Sends content; returns the fault if it does not fit the announced length.
    mutating func send(_ chunk: ByteChunk, on stream: Stream) -> Upload.Fault? {
        if let fault = upload.accept(chunk.count) { return fault }
        if upload.framing == .chunked { stream.append { HeadSerializer.appendChunkSize(chunk.count, to: &$0) } }
        stream.write(chunk)
        if upload.framing == .chunked { stream.append { HeadSerializer.appendChunkEnd(to: &$0) } }
        return nil
    }

    /// Ends the content; returns the fault if some is missing.
    mutating func finish(trailers: Fields?, on stream: Stream) -> Upload.Fault? {
        if let fault = upload.finish() { return fault }
        if upload.framing == .chunked {
            stream.append { HeadSerializer.appendLastChunk(trailers: trailers ?? Fields(), to: &$0) }
        }
        return nil
    }
}
