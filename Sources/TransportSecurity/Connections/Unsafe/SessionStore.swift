import COpenSSL
import HTTPCore
import Locking
import Platform

/// Sessions of earlier connections to resume, by host and port; safe from any thread.
///
/// Each context has a store of its own, so that all its sessions have one identity. A ticket of TLS 1.3 is used once
/// (RFC 8446 §C.4). An hour after a full handshake none of its sessions is resumed, so that certificates are verified
/// again.
final class SessionStore: Sendable {
    private struct Entry {
        var sessions: [Session]
        var order: UInt64
    }

    private struct State {
        var entries: [[UInt8]: Entry] = [:]
        var count: UInt64 = 0
    }

    private static let hosts = 1024
    private static let perHost = 4
    static let lifetimeSeconds = 3600

    private let state = Lock(State())

    /// Keeps a session.
    func keep(_ session: Session, for key: [UInt8]) {
        state.withLock { state in
            state.count += 1
            var entry = state.entries[key] ?? Entry(sessions: [], order: state.count)
            entry.order = state.count
            if entry.sessions.count >= Self.perHost { entry.sessions.removeFirst() }
            entry.sessions.append(session)
            state.entries[key] = entry
            guard state.entries.count > Self.hosts else { return }
            // Drop a quarter at once, so that sorting is seldom needed.
            for (old, _) in state.entries.sorted(by: { $0.value.order < $1.value.order }).prefix(Self.hosts / 4) {
                state.entries[old] = nil
            }
        }
    }

    /// Removes and returns the newest session that can be resumed.
    func take(_ key: [UInt8]) -> Session? {
        state.withLock { state in
            while let session = state.entries[key]?.sessions.popLast() {
                guard session.mayBeResumed else { continue }
                if !session.isSingleUse { state.entries[key]?.sessions.append(session) }
                return session
            }
            state.entries[key] = nil
            return nil
        }
    }

    /// Drops all sessions for a host and port.
    func forget(_ key: [UInt8]) { state.withLock { $0.entries[key] = nil } }
}

/// Owns one `SSL_SESSION`.
///
/// `@unchecked Sendable`: OpenSSL counts references atomically, and a kept session does not change.
@safe
final class Session: @unchecked Sendable {
    let raw: OpaquePointer
    /// When the peer presented its certificate; seconds since 1970.
    let verificationTime: Int

    /// - Parameters:
    ///   - raw: a reference; this object takes ownership.
    ///   - verificationTime: nil: when the session was made.
    init(owning raw: OpaquePointer, verificationTime: Int?) {
        unsafe self.raw = raw
        self.verificationTime = unsafe verificationTime ?? SSL_SESSION_get_time(raw)
    }

    deinit { unsafe SSL_SESSION_free(raw) }

    var isSingleUse: Bool { unsafe SSL_SESSION_get_protocol_version(raw) >= TLS1_3_VERSION }

    var mayBeResumed: Bool {
        let now = Int(SystemClock.wallSeconds())
        return unsafe SSL_SESSION_is_resumable(raw) == 1
            && now - verificationTime < SessionStore.lifetimeSeconds
            && now - SSL_SESSION_get_time(raw) < SSL_SESSION_get_timeout(raw)
    }
}
