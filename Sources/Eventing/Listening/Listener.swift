import LibC
import Platform

/// Accepts the connections of one listening socket on one loop.
///
/// Bound to its loop, which keeps it alive until it is closed. When descriptors run short, it pauses and tries again
/// every 200 ms. So established connections continue, and a reserve of descriptors remains.
public final class Listener: IOSource {
    /// The most connections accepted per turn, so that other sources of the loop have their turn.
    private static let batch = 64
    /// After this many turns, the number accepted per turn doubles.
    private static let quietTurns = 16
    private static let retryDelay = Duration.milliseconds(200)

    /// The socket; other loops may listen on it too.
    public let socket: ListeningSocket
    /// Descriptors that this listener leaves for other uses, such as the admin listener and the store.
    public var descriptorReserve: Int
    private let onAccept: (Stream, SocketAddress?) -> Void
    private var isPaused = false
    /// How many connections are accepted per turn at present.
    ///
    /// A call that finds no connection is expensive, since the system makes the socket first. If more connections wait,
    /// the next turn begins at once.
    private var allowance = 1
    private var turnsUntilMore = Listener.quietTurns
    private var knownCeiling = 0
    /// Connections accepted since the limit of descriptors was read.
    private var sinceLimitRead = 0
    /// Set while descriptors are short; ends the pause.
    private var retry: LoopTimer?
    /// How often accepting paused because descriptors were short.
    public private(set) var shortages = 0

    /// Accepts connections until closed.
    ///
    /// `onAccept` gets each connection with its peer, and must give it a delegate, or close it.
    public init(
        loop: EventLoop,
        socket: ListeningSocket,
        descriptorReserve: Int = 0,
        onAccept: @escaping (Stream, SocketAddress?) -> Void
    ) {
        self.socket = socket
        self.descriptorReserve = descriptorReserve
        self.onAccept = onAccept
        super.init(loop: loop, descriptor: socket.descriptor)
        register()
        watchReads(true)
    }

    /// The bound address, with the real port.
    package var boundAddress: SocketAddress { socket.address }

    /// Leaves new connections to the system's backlog.
    public func pause() {
        isPaused = true
        watchReads(false)
    }

    public func resume() {
        isPaused = false
        if retry?.isArmed != true { watchReads(true) }
    }

    /// Stops accepting; the socket closes when its last reference is released.
    public func close() { release(closing: false) }

    override func loopWillEnd() { close() }

    override func descriptorIsReadable() {
        for count in 0..<allowance {
            guard !isPaused, descriptor >= 0 else { return }
            switch SocketCalls.accept(descriptor) {
            case .success((let accepted, let peer)):
                onAccept(Stream(adopting: accepted, loop: loop), peer)
                if reachesReserve(Int(accepted)) { return waitForDescriptors() }
            case .failure(let error):
                switch error.code {
                case EINTR, ECONNABORTED, EPROTO: continue
                case EMFILE, ENFILE, ENOBUFS, ENOMEM: return waitForDescriptors()
                default:
                    allowance = max(1, count)
                    turnsUntilMore = Self.quietTurns
                    return
                }
            }
        }
        turnsUntilMore -= 1
        if turnsUntilMore <= 0 { allowance = min(allowance * 2, Self.batch) }
    }

    /// Whether a connection with this descriptor leaves less than the reserve.
    ///
    /// The limit is read again before the reserve can be used up.
    private func reachesReserve(_ number: Int) -> Bool {
        sinceLimitRead += 1
        guard number >= knownCeiling || sinceLimitRead * 2 > descriptorReserve else { return false }
        knownCeiling = ceiling
        sinceLimitRead = 0
        return number >= knownCeiling
    }

    /// The lowest descriptor with which less than the reserve is left.
    ///
    /// The system always gives out the lowest free number.
    private var ceiling: Int {
        guard descriptorReserve > 0 else { return .max }
        let limit = Descriptors.limit
        return limit - min(descriptorReserve, limit / 4)
    }

    private func waitForDescriptors() {
        shortages += 1
        watchReads(false)
        let timer = retry ?? LoopTimer(loop: loop) { [weak self] in self?.tryAgain() }
        retry = timer
        timer.rearm(after: Self.retryDelay)
    }

    private func tryAgain() {
        guard descriptor >= 0 else { return }
        guard let next = Descriptors.nextNumber(), next < ceiling else {
            retry?.rearm(after: Self.retryDelay)
            return
        }
        if !isPaused { watchReads(true) }
    }
}
