import Eventing
import HTTPCaching
import HTTPCore
import HTTPServer
import Outcomes
import TransportSecurity

/// Receives the content of a question, and then answers it through its resource like a GET.
///
/// A request that cannot be keyed passes. It invalidates nothing, unless its content shows that it may change
/// something. Bound to its loop.
final class QuestionExchange: ServerExchangeDelegate {
    /// Why a request cannot be keyed; the raw value is the detail of Cache-Status.
    private enum Obstacle: String {
        case tooLarge = "key-body-too-large"
        /// There is no memory for more content.
        case memory = "key-body-memory"
        case trailers = "key-body-trailers"
    }

    /// So many bytes of content are requested ahead: no more come if there is no memory for them.
    private static let window = 64 * 1024
    /// Larger content is brought into its form on another thread.
    static let formedAtOnce = 32 * 1024

    private let client: ServerExchange
    /// The target, after query rules.
    private let uri: TargetURI
    private let kind: RouteKind
    private let fields: Fields
    private let keying: ContentKeying
    private let context: ProxyContext
    private let held: HeldContent
    private var hash = ContentHash()
    private var isOver = false

    init(
        _ client: ServerExchange,
        uri: TargetURI,
        kind: RouteKind,
        fields: Fields,
        keying: ContentKeying,
        context: ProxyContext
    ) {
        self.client = client
        self.uri = uri
        self.kind = kind
        self.fields = fields
        self.keying = keying
        self.context = context
        held = HeldContent(context.options.questions.memory)
    }

    private var limit: Int { context.options.questions.contentLimit }

    func start() {
        if case .length(let count) = client.head.framing, count > Int64(limit) { return pass(.tooLarge) }
        client.delegate = self
        hash.append(keying.preamble(fields)[...])
        client.requestContent(min(limit, Self.window) + 1)
    }

    // MARK: Content

    func exchange(_ exchange: ServerExchange, didReceive chunk: ByteChunk) {
        guard held.append(chunk) else { return pass(.memory) }
        guard held.bytes.count <= limit else { return pass(.tooLarge) }
        if keying == .bytes { hash.append(chunk.storage[chunk.range]) }
        client.requestContent(chunk.count)
    }

    func exchangeDidReceiveEnd(_ exchange: ServerExchange, trailers: Fields?) {
        held.end(trailers: trailers)
        guard trailers == nil else { return pass(.trailers) }
        guard case .form(let form) = keying else { return serve() }
        let content = held.bytes
        let workers = context.service.table.environment.transforms.workers
        guard content.count > Self.formedAtOnce, let workers else { return serve(form.text(of: content)) }
        let bound = LoopBound(self, loop: client.loop)
        let isSubmitted = workers.submit {
            let text = form.text(of: content)
            bound.submit { $0.serve(text) }
        }
        if !isSubmitted { pass(.memory) }
    }

    // MARK: What follows

    /// - Parameter text: the content in its form.
    private func serve(_ text: Result<[UInt8], UnkeyedContent>) {
        switch text {
        case .success(let text):
            hash.append(text[...])
            serve()
        case .failure(let reason): pass(reason.rawValue, mayChange: reason.mayChange)
        }
    }

    private func serve() {
        let digest = hash.finish()
        guard digest.count == 32 else { return pass(.memory) }
        guard client.isOpen, !isOver else { return }
        isOver = true
        let method = client.head.method
        ResourceExchange(
            client,
            uri: uri.question(method, digest),
            kind: kind,
            fields: fields,
            question: (Question(method, ByteChunk(held.bytes)), held),
            context: context
        )
        .start()
    }

    private func pass(_ obstacle: Obstacle) { pass(obstacle.rawValue, mayChange: false) }

    private func pass(_ detail: String, mayChange: Bool) {
        guard client.isOpen, !isOver else { return }
        isOver = true
        let outcome = CacheOutcome(isHit: false, forward: .bypass, detail: detail)
        PassExchange(client, uri: uri, kind: kind, outcome: outcome, context: context, held: (held, mayChange))
            .start(fields: fields)
    }
}
