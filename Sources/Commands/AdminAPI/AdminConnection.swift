import Eventing
import HTTPCore
import Terminal

/// One request to the admin listener over one connection.
///
/// Bound to its loop.
final class AdminConnection: StreamDelegate {
    /// Why there is no response.
    enum Failure: Error {
        case unreachable(String)
        /// The connection ended inside the response, or the bytes are not HTTP.
        case broken(String)
    }

    /// The largest content that is accepted, in bytes; a page of a listing is far smaller.
    private static let contentLimit = 256 << 20
    static let timeout = Duration.seconds(300)

    private let request: [UInt8]
    /// How long the other side may be silent.
    private let timeout: Duration
    /// Gets the content of a 200 as it is received.
    private let sink: (([UInt8]) -> Void)?
    private let completion: (Result<AdminResponse, Failure>) -> Void
    private var parser = ResponseParser()
    private var head = ResponseHead(status: 0)
    private var decoder: ContentDecoder?
    private var content: [UInt8] = []
    private var isOver = false

    init(
        request: [UInt8],
        timeout: Duration = AdminConnection.timeout,
        sink: (([UInt8]) -> Void)?,
        completion: @escaping (Result<AdminResponse, Failure>) -> Void
    ) {
        self.request = request
        self.timeout = timeout
        self.sink = sink
        self.completion = completion
    }

    /// Sends the request.
    func begin(on stream: Stream) {
        stream.delegate = self
        stream.append { $0 += request }
        stream.setReadDeadline(after: timeout)
    }

    // MARK: Reading

    func stream(_ stream: Stream, didRead bytes: Span<UInt8>) -> Int {
        stream.setReadDeadline(after: timeout)
        var consumed = 0
        while decoder == nil {
            switch parser.parse(bytes.extracting(consumed..<bytes.count), into: &head) {
            case .needMore: return consumed
            case .failed(let error):
                end(stream, .failure(.broken(error.responseFault)))
                return bytes.count
            case .complete(let count):
                consumed += count
                if head.isInterim { parser.reset() } else { decoder = ContentDecoder(framing: head.framing) }
            }
        }
        return consumed + read(stream, bytes.extracting(consumed..<bytes.count))
    }

    /// Returns how many bytes of the content were consumed.
    private func read(_ stream: Stream, _ bytes: Span<UInt8>) -> Int {
        var parts: [Range<Int>] = []
        guard let result = decoder?.decode(bytes, content: { parts.append($0) }) else { return bytes.count }
        for part in parts where !isOver { append([UInt8](copying: bytes.extracting(part)), stream) }
        switch result {
        case .needMore(let consumed): return consumed
        case .complete: finish(stream)
        case .failed(let error): end(stream, .failure(.broken(error.responseFault)))
        }
        return bytes.count
    }

    private func append(_ bytes: [UInt8], _ stream: Stream) {
        if head.status == 200, let sink {
            sink(bytes)
        } else if content.count + bytes.count <= Self.contentLimit {
            content += bytes
        } else {
            end(stream, .failure(.broken("the response is larger than \(Self.contentLimit) bytes")))
        }
    }

    // MARK: The end

    func streamDidReachEnd(_ stream: Stream) {
        if decoder != nil, decoder?.endOfInput() == nil { return finish(stream) }
        end(stream, .failure(.broken("the daemon closed the connection before its response was complete")))
    }

    func streamDidReachDeadline(_ stream: Stream) {
        let seconds = Plural.text(Int(timeout.components.seconds), "second")
        end(stream, .failure(.unreachable("no response within \(seconds)")))
    }

    func stream(_ stream: Stream, didFail error: StreamError) {
        end(stream, .failure(.broken("the connection to the daemon broke")))
    }

    private func finish(_ stream: Stream) {
        end(stream, .success(AdminResponse(status: head.status, content: content)))
    }

    private func end(_ stream: Stream, _ result: Result<AdminResponse, Failure>) {
        guard !isOver else { return }
        isOver = true
        stream.close()
        completion(result)
    }
}
