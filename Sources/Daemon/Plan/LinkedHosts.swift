import CommandSyntax
import HTTPCore
import Locking
import Platform
import Settings

/// The hosts that pages of package indexes link to: the rules of the index's preset apply to them, too.
///
/// Respite finds the hosts when it rewrites the links of a page, so before a client follows them. The store keeps pages
/// longer than this process runs; therefore a file beside it keeps the hosts.
final class LinkedHosts: Sendable {
    private struct State {
        var path: String?
        /// `pip https://files.example:443`.
        var lines: Set<String> = []
        /// Lines that are not in the file yet.
        var fresh: [String] = []
        var onChange: (@Sendable () -> Void)?
    }

    /// The most hosts of all presets together.
    static let limit = 1000

    private let state = Lock(State())

    /// Reads the hosts that an earlier process has seen; blocks.
    ///
    /// - Parameter directory: the store's directory; nil: hosts are only in memory.
    func load(from directory: String?) {
        guard let path = directory.map({ "\($0)/linked-hosts" }), state.withLock({ $0.path }) == nil else { return }
        let bytes = SecretFile.directoryFault(of: path) == nil ? try? SmallFile.read(path, limit: 1 << 19) : nil
        let lines = String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n")
        state.withLock { state in
            state.path = path
            for line in lines where Self.isLine(line) && state.lines.count < Self.limit {
                state.lines.insert(String(line))
            }
        }
    }

    /// Whether a page of the preset's index has linked to the origin of this URL.
    func contains(_ uri: TargetURI, of preset: RulePreset) -> Bool {
        let line = Self.line(uri, preset)
        return state.withLock { $0.lines.contains(line) }
    }

    /// Remembers the origin of a link.
    func insert(_ uri: TargetURI, of preset: RulePreset) {
        let line = Self.line(uri, preset)
        let onChange: (@Sendable () -> Void)? = state.withLock { state in
            guard state.lines.count < Self.limit, state.lines.insert(line).inserted else { return nil }
            state.fresh.append(line)
            return state.fresh.count == 1 ? state.onChange : nil
        }
        onChange?()
    }

    /// Calls `action` on any thread when a host is new; not again before `save`, however many follow.
    func whenChanged(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onChange = action } }

    /// Appends new hosts to the file; blocks.
    func save() {
        let (path, fresh) = state.withLock { state in
            defer { state.fresh = [] }
            return (state.path, state.fresh)
        }
        guard let path, !fresh.isEmpty, SecretFile.directoryFault(of: path) == nil else { return }
        // If a host cannot be kept, the next page brings it again.
        try? SmallFile.appendPrivate(fresh.map { $0 + "\n" }.joined(), to: path)
    }

    private static func line(_ uri: TargetURI, _ preset: RulePreset) -> String {
        "\(preset.rawValue) \(uri.scheme == .https ? "https" : "http")://\(String(decoding: uri.host, as: UTF8.self)):\(uri.port)"
    }

    private static func isLine(_ line: Substring) -> Bool {
        let parts = line.split(separator: " ")
        guard parts.count == 2, RulePreset(rawValue: String(parts[0])) != nil else { return false }
        return (try? TargetURI(parsing: "\(parts[1])/")) != nil
    }
}

/// The rules of a preset for the hosts that its index's pages link to.
struct LinkedRules: Sendable {
    let preset: RulePreset
    private let hosts: LinkedHosts
    /// Patterns of the files on such hosts.
    private let globs: [URLGlob]

    init(_ loaded: LoadedPreset, _ hosts: LinkedHosts) {
        preset = loaded.preset
        self.hosts = hosts
        globs = loaded.linkedRules.compactMap { try? URLGlob($0.settings.match) }
    }

    /// Whether a rule with this pattern applies to a URL.
    func match(_ uri: TargetURI, _ glob: URLGlob) -> Bool {
        hosts.contains(uri, of: preset) && Self.matches(uri, glob)
    }

    /// Called with each link of a page.
    var report: @Sendable ([UInt8]) -> Void { { [self] in links(to: $0) } }

    /// Notes that a page of the index links to this URL, or to one that begins so.
    func links(to bytes: [UInt8]) {
        guard let uri = Self.uri(bytes), !hosts.contains(uri, of: preset), isFile(uri) else { return }
        hosts.insert(uri, of: preset)
    }

    /// Whether a link leads to a file of the index.
    ///
    /// Pages of pip's and cargo's indexes link to nothing else. In a document of npm, authors choose some of the links.
    private func isFile(_ uri: TargetURI) -> Bool {
        switch preset {
        case .pip, .cargo: true
        case .npm, .go, .apt, .oci, .gem, .maven: globs.contains { Self.matches(uri, $0) }
        }
    }

    private static func matches(_ uri: TargetURI, _ glob: URLGlob) -> Bool {
        guard let root = try? TargetURI(parsing: "\(uri.scheme == .https ? "https" : "http")://\(authority(uri))/")
        else {
            return false
        }
        return glob.relative(to: root).matches(uri)
    }

    private static func authority(_ uri: TargetURI) -> String {
        "\(String(decoding: uri.host, as: UTF8.self)):\(uri.port)"
    }

    /// The URL of a link as it was found in JSON or HTML: perhaps with a quote before it, or cut at its end.
    private static func uri(_ bytes: [UInt8]) -> TargetURI? {
        var text = bytes.drop { $0 == 0x22 || $0 == 0x27 }.filter { $0 != 0x5C }
        while let last = text.last, [0x20, 0x22, 0x27, 0x3E, 0x26].contains(last) { text.removeLast() }
        let end = text.firstIndex { $0 == 0x22 || $0 == 0x23 || $0 == 0x20 } ?? text.endIndex
        let url = String(decoding: text[..<end], as: UTF8.self)
        return try? TargetURI(parsing: url.split(separator: "/").count > 2 || url.hasSuffix("/") ? url : url + "/")
    }
}
