import Glibc
import Platform

/// Accepts the connections of one listening socket on one loop.
///
/// Bound to its loop, which keeps it alive until it is closed. When descriptors run short it pauses and tries again every
/// 200 ms, so that established connections go on and a reserve of descriptors stays.
public final class Listener: IOSource {
    /// Connections accepted per turn, so that one listener does not hold the loop.
    private static let batch = 64
    /// After this many turns the number accepted per turn doubles.
    private static let quietTurns = 16
    private static let retryDelay = Duration.milliseconds(200)

    /// The socket; other loops may listen on it too.
    public let socket: ListeningSocket
    /// Descriptors this listener leaves for other uses, such as the admin listener and the store.
    public var descriptorReserve: Int
    private let onAccept: (Stream, SocketAddress?) -> Void
    private var isPaused = false
    /// Connections accepted per turn now.
    ///
    /// A call that finds no connection is expensive, since the system makes the socket first. If more connections wait, the
    /// next turn begins at once.
    private var allowance = 1
    private var turnsUntilMore = Listener.quietTurns
    private var knownCeiling = 0
    /// Connections accepted since the limit was read.
    private var sinceLimitRead = 0
    /// Set while descriptors are short.
    private var retry: LoopTimer?
    /// How often accepting had to pause for want of descriptors.
    public private(set) var shortages = 0

    /// Accepts until closed; `onAccept` gets each connection with its peer, and must give it a delegate, or close it.
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

    /// Where it listens, with the real port.
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

    /// Accepts no more; the socket closes when its last reference is released.
    public func close() {
        retry?.cancel()
        release(closing: false)
    }

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

    /// Whether a connection with this number leaves less than the reserve.
    ///
    /// The limit is read again before the reserve can have been used up.
    private func reachesReserve(_ number: Int) -> Bool {
        sinceLimitRead += 1
        guard number >= knownCeiling || sinceLimitRead * 2 > descriptorReserve else { return false }
        knownCeiling = ceiling
        sinceLimitRead = 0
        return number >= knownCeiling
    }

    /// The lowest number of a descriptor with which less than the reserve is left; the system gives the lowest free number.
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
