import Eventing
import Exchanges
import HTTPCore
import HTTPServer
import ResourceCore

/// Keeps the latest events of all resources and sends them to listeners.
///
/// Bound to its loop. It costs nothing once nobody has listened for a minute. Each listener has its own position in the
/// kept events. A slow or returning listener gets the events that it missed, or a mark with the number of lost ones.
final class EventHub {
    /// The most bytes of events to keep.
    private static let byteLimit = 4 << 20
    /// How long events are kept without a listener.
    private static let grace = Duration.seconds(60)

    struct Entry {
        var uri: TargetURI
        var bytes: [UInt8]
    }

    private let loop: EventLoop
    private let context: any DeliveryContext
    private let table: ResourceTable
    private let options: AdminOptions
    /// Identifies the events of this process since its first listener.
    private var epoch = ""
    private var entries: [Entry] = []
    private var keptBytes = 0
    /// The number of the first entry kept; numbers begin with 1.
    private var first = 1
    private var subscription: TableSubscription?
    private var streams: [ObjectIdentifier: EventStream] = [:]
    private var timer: LoopTimer?
    private var idleSince: MonotonicTime?
    /// Loads in progress, with the progress last reported.
    private var loading: [TargetURI: Double] = [:]
    private var progressTimer: LoopTimer?

    init(loop: EventLoop, context: any DeliveryContext, table: ResourceTable, options: AdminOptions) {
        self.loop = loop
        self.context = context
        self.table = table
        self.options = options
    }

    deinit { subscription?.cancel() }

    // MARK: Listeners

    /// Sends events until the client disconnects, starting after `lastEventID` if that event is kept.
    ///
    /// - Parameter hasEnded: whether the session that the stream belongs to has ended; nil: it belongs to none.
    func subscribe(
        _ exchange: ServerExchange,
        filter: ResourceFilter,
        lastEventID: String?,
        hasEnded: (() -> Bool)?,
        _ beginning: () -> [UInt8] = { [] }
    ) {
        guard exchange.head.method == .get else {
            exchange.start(200, fields: EventStream.fields, content: .unknown)
            return exchange.finish()
        }
        listen()
        let stream = EventStream(exchange, hub: self, filter: filter, next: end, hasEnded: hasEnded)
        if let lastEventID { stream.resume(behind: number(of: lastEventID)) }
        streams[ObjectIdentifier(stream)] = stream
        stream.begin(beginning())
    }

    /// Sends the state of one resource, then its events.
    func subscribe(_ exchange: ServerExchange, to uri: TargetURI, lastEventID: String?, hasEnded: (() -> Bool)?) {
        subscribe(exchange, filter: ResourceFilter(uri), lastEventID: lastEventID, hasEnded: hasEnded) { [table] in
            EventText.snapshot(of: uri, table.find(uri), now: table.environment.timekeeper.now)
        }
    }

    /// Sends a last event to all listeners and ends their streams.
    func endStreams() {
        let ending = streams.values
        streams = [:]
        idleSince = loop.now
        for stream in ending { stream.end() }
    }

    /// Ends the streams whose session has ended; they get no event that is pending.
    func endStreamsOfEndedSessions() {
        for stream in streams.values where stream.hasEnded?() == true {
            forget(stream)
            stream.close()
        }
    }

    func forget(_ stream: EventStream) {
        streams[ObjectIdentifier(stream)] = nil
        if streams.isEmpty { idleSince = loop.now }
    }

    /// The number in an event ID of this epoch; nil for any other text.
    private func number(of id: String) -> Int? {
        let parts = id.split(separator: "-")
        guard parts.count == 2, parts[0] == epoch, let number = Int(parts[1]), number < end, number >= 0 else {
            return nil
        }
        return number
    }

    // MARK: Events

    /// The number of the next event.
    var end: Int { first + entries.count }
    /// The number of the first event kept.
    var start: Int { first }

    subscript(number: Int) -> Entry? {
        entries.indices.contains(number - first) ? entries[number - first] : nil
    }

    private func listen() {
        idleSince = nil
        guard subscription == nil else { return }
        epoch = String(UInt64.random(in: .min ... .max), radix: 36)
        entries = []
        first = 1
        keptBytes = 0
        let bound = LoopBound(WeakHub(self), loop: loop)
        subscription = table.addObserver(context: context, bound: 16_384) { events in
            bound.value.hub?.receive(events)
        }
        let timer = loop.schedule(after: options.heartbeat) { [weak self] in self?.beat() }
        self.timer = timer
    }

    private func receive(_ events: [TableEvent]) {
        endStreamsOfEndedSessions()
        for event in events {
            switch event {
            case .change(_, let change): keep(change)
            case .gap(let missed):
                // Skip the numbers of lost events, so that every listener sees that it missed some.
                first = end + Int(clamping: min(missed, 1 << 40))
                entries = []
                keptBytes = 0
            }
        }
        trim()
        for stream in streams.values { stream.pump() }
    }

    private func keep(_ change: ResourceChange) {
        noteLoad(change)
        let common = table.find(change.uri)?.commonPartition ?? .shared
        let now = table.environment.timekeeper.now
        append(EventText.text(of: change, common: common, id: nextID, now: now), of: change.uri)
    }

    private var nextID: String { "\(epoch)-\(end)" }

    private func append(_ bytes: [UInt8], of uri: TargetURI) {
        keptBytes += bytes.count
        entries.append(Entry(uri: uri, bytes: bytes))
    }

    // MARK: Progress (S-219)

    private func noteLoad(_ change: ResourceChange) {
        switch change.event {
        case .requested:
            loading[change.uri] = loading[change.uri] ?? 0
            watchProgress()
        case .newData, .notModified, .error, .requestCancelled:
            guard let reported = loading.removeValue(forKey: change.uri) else { return }
            // Complete the progress of a load if any progress was reported.
            if reported > 0, change.event == .newData(.network) { appendProgress(1, of: change.uri) }
        case .observerAdded, .durable: break
        }
    }

    private func watchProgress() {
        guard progressTimer == nil else { return }
        progressTimer = loop.schedule(after: options.progressInterval) { [weak self] in self?.reportProgress() }
    }

    /// Reports loads that have progressed since the last report.
    private func reportProgress() {
        progressTimer = nil
        for (uri, reported) in loading {
            guard let progress = table.find(uri)?.loadProgress, progress > reported, progress < 1 else { continue }
            loading[uri] = progress
            appendProgress(progress, of: uri)
        }
        trim()
        for stream in streams.values { stream.pump() }
        if !loading.isEmpty { watchProgress() }
    }

    private func appendProgress(_ progress: Double, of uri: TargetURI) {
        append(EventText.progress(progress, of: uri, id: nextID), of: uri)
    }

    private func trim() {
        guard entries.count > options.keptEvents || keptBytes > Self.byteLimit else { return }
        var dropped = 0
        while entries.count - dropped > options.keptEvents / 2 || keptBytes > Self.byteLimit / 2 {
            keptBytes -= entries[dropped].bytes.count
            dropped += 1
        }
        // First send pending events to listeners that have room.
        for stream in streams.values { stream.pump() }
        entries.removeFirst(dropped)
        first += dropped
    }

    // MARK: Time

    private func beat() {
        if let idleSince, loop.now - idleSince >= Self.grace { return rest() }
        endStreamsOfEndedSessions()
        for stream in streams.values { stream.beat() }
        timer?.rearm(after: options.heartbeat)
    }

    private func rest() {
        subscription?.cancel()
        subscription = nil
        entries = []
        loading = [:]
        progressTimer?.cancel()
        progressTimer = nil
        timer = nil
    }
}

private final class WeakHub {
    weak var hub: EventHub?

    init(_ hub: EventHub) { self.hub = hub }
}
