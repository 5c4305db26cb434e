import HTTPCore

/// A file of the dashboard: a page, a module of its program, a style sheet or a picture.
///
/// None holds data: what a page shows comes by the API.
struct DashboardFile: Sendable, Equatable {
    let contentType: String
    let bytes: [UInt8]
    /// A strong entity tag, which follows from the bytes.
    let tag: String

    private init(name: String, bytes: [UInt8]) {
        contentType = Self.contentType(name)
        self.bytes = bytes
        // FNV-1a: the files are ours, so nobody looks for two with one hash.
        let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        tag = "\"\(String(hash, radix: 16))\""
    }

    private static let all = Dictionary(
        uniqueKeysWithValues: EmbeddedFiles.all().map { ($0.name, DashboardFile(name: $0.name, bytes: $0.bytes)) }
    )

    /// The file of this name; nil if there is none.
    static func named(_ name: String) -> DashboardFile? { all[name] }

    /// The shell of all pages, for a browser with a session.
    static var shell: DashboardFile? { named("index.html") }
    /// The page on which a browser gets a session.
    static var login: DashboardFile? { named("login.html") }

    /// A file below `/assets/`: pages are none.
    static func asset(_ name: String) -> DashboardFile? { name.hasSuffix(".html") ? nil : named(name) }

    private static func contentType(_ name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
    }
}
