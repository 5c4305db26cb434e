public import HTTPCore

/// The directives that govern a stored response (RFC 9111 §5.2.2, RFC 5861, RFC 8246), read once.
///
/// Numbers are seconds, at most `DeltaSeconds.limit`. Of several directives with one name the first counts. An invalid
/// number counts as 0.
public struct CacheControl: Sendable, Equatable {
    /// Directives without an argument; `noCache` and `isPrivate` only in their unqualified form.
    public struct Flags: OptionSet, Sendable {
        public let rawValue: UInt16

        public init(rawValue: UInt16) { self.rawValue = rawValue }

        public static let noStore = Flags(rawValue: 1 << 0)
        public static let noCache = Flags(rawValue: 1 << 1)
        public static let isPrivate = Flags(rawValue: 1 << 2)
        public static let isPublic = Flags(rawValue: 1 << 3)
        public static let mustRevalidate = Flags(rawValue: 1 << 4)
        public static let proxyRevalidate = Flags(rawValue: 1 << 5)
        public static let mustUnderstand = Flags(rawValue: 1 << 6)
        public static let noTransform = Flags(rawValue: 1 << 7)
        public static let immutable = Flags(rawValue: 1 << 8)
    }

    /// The names of both directives; nil if there are none, as nearly always.
    private var names: QualifiedNames?
    private var maxAge = CompactSeconds()
    private var sMaxAge = CompactSeconds()
    private var staleWhileRevalidate = CompactSeconds()
    private var staleIfError = CompactSeconds()
    public var flags: Flags = []

    public var maxAgeSeconds: Int64? {
        get { maxAge.value }
        set { maxAge = CompactSeconds(newValue) }
    }

    public var sMaxAgeSeconds: Int64? {
        get { sMaxAge.value }
        set { sMaxAge = CompactSeconds(newValue) }
    }

    public var staleWhileRevalidateSeconds: Int64? {
        get { staleWhileRevalidate.value }
        set { staleWhileRevalidate = CompactSeconds(newValue) }
    }

    public var staleIfErrorSeconds: Int64? {
        get { staleIfError.value }
        set { staleIfError = CompactSeconds(newValue) }
    }

    /// The names in `no-cache="…"`, lower-cased: these fields are not reused without validation.
    public var noCacheFields: [[UInt8]] {
        get { names?.noCache ?? [] }
        set { names = QualifiedNames(noCache: newValue, isPrivate: privateFields) }
    }

    /// The names in `private="…"`, lower-cased: only the first client gets these fields.
    public var privateFields: [[UInt8]] {
        get { names?.isPrivate ?? [] }
        set { names = QualifiedNames(noCache: noCacheFields, isPrivate: newValue) }
    }

    public init() {}

    /// Bytes of memory beyond this value.
    var heapBytes: Int { names?.heapBytes ?? 0 }

    /// Parses the value of Cache-Control, with all its lines joined by commas.
    public init(parsing list: [UInt8]) { self.init(parsing: list.span) }

    private init(parsing text: Span<UInt8>) {
        var scanner = DirectiveScanner()
        while let directive = scanner.next(in: text) { apply(directive, in: text) }
        if scanner.foundUnterminatedString {
            flags.insert(.noCache)
            maxAgeSeconds = 0
        }
        requalify()
    }

    /// Parses the Cache-Control lines of a response.
    public init(_ fields: borrowing Fields) {
        switch fields.count(of: .cacheControl) {
        case 0: self.init()
        // One line needs no copy.
        case 1: self = fields.withValue(of: .cacheControl) { CacheControl(parsing: $0) } ?? CacheControl()
        default: self.init(parsing: fields.combined(.cacheControl) ?? [])
        }
    }

    private mutating func apply(_ directive: Directive, in text: Span<UInt8>) {
        guard let name = PackedName(text, directive.name) else { return }
        if let flag = Self.flag(named: name) {
            flags.insert(flag)
        } else if name == .maxAge {
            maxAgeSeconds = maxAgeSeconds ?? directive.seconds(in: text) ?? 0
        } else if name == .sMaxAge {
            sMaxAgeSeconds = sMaxAgeSeconds ?? directive.seconds(in: text) ?? 0
        } else if name == .staleWhileRevalidate {
            staleWhileRevalidateSeconds = staleWhileRevalidateSeconds ?? directive.seconds(in: text) ?? 0
        } else if name == .staleIfError {
            staleIfErrorSeconds = staleIfErrorSeconds ?? directive.seconds(in: text) ?? 0
        } else if name == .noCache {
            insertQualified(.noCache, directive.fieldNames(in: text), into: \.noCacheFields)
        } else if name == .isPrivate {
            insertQualified(.isPrivate, directive.fieldNames(in: text), into: \.privateFields)
        }
    }

    /// The flag of a directive that has no argument, or whose argument is ignored.
    static func flag(named name: PackedName) -> Flags? {
        switch name {
        case .noStore: .noStore
        case .isPublic: .isPublic
        case .mustRevalidate: .mustRevalidate
        case .proxyRevalidate: .proxyRevalidate
        case .mustUnderstand: .mustUnderstand
        case .noTransform: .noTransform
        case .immutable: .immutable
        default: nil
        }
    }

    /// Without valid names the unqualified form counts, which restricts more.
    mutating func insertQualified(
        _ flag: Flags,
        _ names: [[UInt8]]?,
        into list: WritableKeyPath<CacheControl, [[UInt8]]>
    ) {
        if let names { self[keyPath: list].append(contentsOf: names) } else { flags.insert(flag) }
    }

    /// Treats the qualified form as unqualified if it names a field that a response cannot be reused without.
    mutating func requalify() {
        if noCacheFields.contains(where: Self.isIndispensable) { flags.insert(.noCache) }
        if privateFields.contains(where: Self.isIndispensable) { flags.insert(.isPrivate) }
    }

    private static func isIndispensable(_ name: [UInt8]) -> Bool { indispensable.contains(name) }

    private static let indispensable: [[UInt8]] = [
        "content-encoding", "content-length", "content-range", "content-type", "vary",
    ].map { Array($0.utf8) }
}

extension CacheControl {
    /// Whether the response to a request with credentials may be shared (RFC 9111 §3.5).
    public var permitsSharingDespiteAuthorization: Bool {
        sMaxAgeSeconds != nil || !flags.isDisjoint(with: [.isPublic, .mustRevalidate])
    }
}

/// The names in `no-cache="…"` and `private="…"`.
private final class QualifiedNames: Sendable, Equatable {
    let noCache: [[UInt8]]
    let isPrivate: [[UInt8]]

    /// Nil if there are none.
    init?(noCache: [[UInt8]], isPrivate: [[UInt8]]) {
        if noCache.isEmpty, isPrivate.isEmpty { return nil }
        self.noCache = noCache
        self.isPrivate = isPrivate
    }

    var heapBytes: Int {
        func size(_ names: [[UInt8]]) -> Int { names.reduce(HeapSize.array(names)) { $0 + HeapSize.array($1) } }
        return HeapSize.object(32) + size(noCache) + size(isPrivate)
    }

    static func == (left: QualifiedNames, right: QualifiedNames) -> Bool {
        left.noCache == right.noCache && left.isPrivate == right.isPrivate
    }
}
