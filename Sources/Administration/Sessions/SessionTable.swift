import HTTPCore
import Stores

/// The sessions of browsers, and the links by which a browser gets one.
///
/// A session has two secrets. The cookie shows that a browser has logged in; but a browser sends it to every server of
/// this machine, whatever its port. So requests to the API also show the proof, which the page keeps for its own
/// origin, port and all. Here are only hashes of the secrets.
struct SessionTable {
    /// How long a link works.
    static let linkLifetime = Duration.seconds(60)
    /// How long a session lasts, used or not.
    static let lifetime = Duration.seconds(12 * 3600)
    /// The most links, and the most sessions of each right: the oldest goes.
    static let linkLimit = 8
    static let limit = 64
    /// The longest secret that is looked at.
    private static let secretLimit = 256

    /// The secrets of a new session.
    struct Secrets {
        let cookie: String
        let proof: String
    }

    /// What a session may do, and until when.
    struct Session {
        let need: TokenNeed
        let end: MonotonicTime
        fileprivate let cookie: [UInt8]
        fileprivate let proof: [UInt8]
    }

    private struct Link {
        let code: [UInt8]
        let end: MonotonicTime
    }

    private let hasher: any PartitionHasher
    private let makeSecret: () -> String
    private var links: [Link] = []
    private var sessions: [Session] = []

    /// - Parameters:
    ///   - hasher: makes the hashes that are kept.
    ///   - makeSecret: returns 256 new random bits.
    init(hasher: any PartitionHasher, makeSecret: @escaping () -> String) {
        self.hasher = hasher
        self.makeSecret = makeSecret
    }

    // MARK: Links

    /// Returns the code of a new link, which works once.
    mutating func makeLink(at now: MonotonicTime) -> String {
        forgetOld(now)
        if links.count == Self.linkLimit { links.removeFirst() }
        let code = makeSecret()
        links.append(Link(code: hash(code), end: now + Self.linkLifetime))
        return code
    }

    /// Whether a link has this code; then it works no more.
    mutating func useLink(_ code: String, at now: MonotonicTime) -> Bool {
        forgetOld(now)
        guard let index = index(of: code, in: links, \.code) else { return false }
        links.remove(at: index)
        return true
    }

    // MARK: Sessions

    /// Begins a session.
    ///
    /// - Parameter need: what it may do: what a token of this kind may.
    mutating func begin(_ need: TokenNeed, at now: MonotonicTime) -> Secrets {
        forgetOld(now)
        // Each right has a limit of its own: a session that may only read cannot displace an administrator's.
        let own = sessions.indices.filter { sessions[$0].need == need }
        if own.count >= Self.limit, let oldest = own.first { sessions.remove(at: oldest) }
        let secrets = Secrets(cookie: makeSecret(), proof: makeSecret())
        sessions.append(
            Session(
                need: need,
                end: now + Self.lifetime,
                cookie: hash(secrets.cookie),
                proof: hash(secrets.proof)
            )
        )
        return secrets
    }

    /// Whether one of the cookies is that of a session.
    func holds(_ cookies: [String], at now: MonotonicTime) -> Bool { cookies.contains { find($0, at: now) != nil } }

    /// The session of one of the cookies, if `proof` is its own.
    func session(_ cookies: [String], proof: String, at now: MonotonicTime) -> Session? {
        for cookie in cookies {
            guard let session = find(cookie, at: now) else { continue }
            if AccessCheck.isEqual(hash(proof), session.proof) { return session }
        }
        return nil
    }

    /// Whether a session has not ended yet.
    func lasts(_ session: Session, at now: MonotonicTime) -> Bool {
        now < session.end && sessions.contains { $0.cookie == session.cookie }
    }

    /// Ends one session.
    mutating func end(_ session: Session) { sessions.removeAll { $0.cookie == session.cookie } }

    /// Ends what was begun with a token that is no longer right.
    ///
    /// - Parameter readingOnly: whether only the token for readers has changed.
    mutating func endAll(readingOnly: Bool) {
        sessions.removeAll { !readingOnly || $0.need == .reading }
        if !readingOnly { links = [] }
    }

    // MARK: Steps

    private func find(_ cookie: String, at now: MonotonicTime) -> Session? {
        guard let index = index(of: cookie, in: sessions, \.cookie), now < sessions[index].end else { return nil }
        return sessions[index]
    }

    /// Compares with every entry, in a time that does not depend on where they differ.
    private func index<Entry>(of secret: String, in entries: [Entry], _ digest: KeyPath<Entry, [UInt8]>) -> Int? {
        guard !secret.isEmpty, secret.utf8.count <= Self.secretLimit else { return nil }
        let given = hash(secret)
        var found: Int?
        for index in entries.indices where AccessCheck.isEqual(given, entries[index][keyPath: digest]) { found = index }
        return found
    }

    private func hash(_ secret: String) -> [UInt8] { hasher.hash(Array("session \(secret)".utf8)) }

    private mutating func forgetOld(_ now: MonotonicTime) {
        links.removeAll { now >= $0.end }
        sessions.removeAll { now >= $0.end }
    }
}
