import Administration
import Eventing
import Locking
import Observability
import Settings

/// The files of administration beside the store: the token, and the socket of the user's own.
///
/// They may be deleted or replaced while the daemon runs, with the whole directory for one. Then they are made anew.
final class AdminFiles: Sendable {
    /// How often it is looked whether they are where they belong.
    static let checkInterval = Duration.seconds(5)

    private struct State {
        var token: String
        var socket: ListeningSocket?
        /// What was wrong when it was looked last: told once.
        var tokenFault: String?
        var socketFault: String?
    }

    /// What is not as it was.
    struct Change: Sendable {
        /// Replaces the socket there was.
        var socket: ListeningSocket?
    }

    private let tokenFile: String?
    private let socketPath: String?
    private let log: Logger
    private let state: Lock<State>

    /// Reads or makes both; blocks.
    ///
    /// Without token or socket the daemon goes on: it serves clients, and the log says what is missing.
    /// - Parameter hasSocket: whether the Unix socket is wanted.
    init(_ paths: DaemonPaths, hasSocket: Bool, log: Logger) {
        tokenFile = paths.adminTokenFile
        socketPath = hasSocket ? paths.adminSocket : nil
        self.log = log
        state = Lock(State(token: AdminToken.make()))
        if tokenFile == nil {
            log.warning("no place for the admin token; only health is answered", ["remedy": "set admin-token-file"])
        }
        _ = readToken()
        _ = openSocket()
    }

    /// What requests must carry.
    var token: [UInt8] { Array(state.withLock { $0.token }.utf8) }
    var socket: ListeningSocket? { state.withLock { $0.socket } }

    /// Makes anew what is not there any more, and takes over a token that was put in the place of ours; blocks.
    ///
    /// - Returns: nil if all is as it was.
    func restore() -> Change? {
        let hasOtherToken = readToken()
        let socket = openSocket()
        return hasOtherToken || socket != nil ? Change(socket: socket) : nil
    }

    // MARK: Steps

    /// Whether the token is another one now.
    private func readToken() -> Bool {
        guard let tokenFile else { return false }
        let known = state.withLock { $0.token }
        do throws(AdminToken.Failure) {
            let token = try AdminToken.readOrMake(tokenFile, known: known)
            state.withLock { state in
                state.token = token
                state.tokenFault = nil
            }
            return token != known
        } catch {
            let isNews = state.withLock { state in
                defer { state.tokenFault = error.userMessage }
                return state.tokenFault != error.userMessage
            }
            if isNews { log.error("no admin token; only health is answered", ["reason": error.userMessage]) }
            return false
        }
    }

    /// The socket in the place of one that is gone; nil if that is where it was, or none can be opened.
    private func openSocket() -> ListeningSocket? {
        guard let socketPath, !(socket?.isInPlace ?? false) else { return nil }
        do throws(EventError) {
            if let fault = SecretFile.directoryFault(of: socketPath) { throw EventError(.cannotListen, fault) }
            let opened = try ListeningSocket(binding: .unix(path: socketPath))
            state.withLock { state in
                state.socket = opened
                state.socketFault = nil
            }
            return opened
        } catch {
            let isNews = state.withLock { state in
                defer { state.socketFault = error.userMessage }
                return state.socketFault != error.userMessage
            }
            if isNews { log.warning("no Unix socket for administration", ["reason": error.userMessage]) }
            return nil
        }
    }
}
