public import HTTPCore

extension CacheControl {
    /// Parses a targeted field such as CDN-Cache-Control, a Structured Field dictionary (RFC 9213 §2.1).
    ///
    /// Nil if it is empty, breaks the syntax anywhere, or has a value of the wrong type: the field then counts as
    /// absent.
    public init?(targeted text: [UInt8]) {
        guard let dictionary = StructuredDictionary(parsing: text), !dictionary.members.isEmpty else { return nil }
        self.init()
        for (key, value) in dictionary.members {
            guard let name = PackedName(key.span, 0..<key.count) else { continue }
            guard apply(name, value) else { return nil }
        }
        requalify()
    }

    /// Applies a directive; returns false if `value` has the wrong type for it.
    ///
    /// Unknown directives accept any type.
    private mutating func apply(_ name: PackedName, _ value: StructuredDictionary.Value) -> Bool {
        if let flag = CacheControl.flag(named: name) {
            guard case .boolean(let isSet) = value else { return false }
            if isSet { flags.insert(flag) }
            return true
        }
        switch name {
        case .maxAge: return setSeconds(\.maxAgeSeconds, value)
        case .sMaxAge: return setSeconds(\.sMaxAgeSeconds, value)
        case .staleWhileRevalidate: return setSeconds(\.staleWhileRevalidateSeconds, value)
        case .staleIfError: return setSeconds(\.staleIfErrorSeconds, value)
        case .noCache: return setQualified(.noCache, \.noCacheFields, value)
        case .isPrivate: return setQualified(.isPrivate, \.privateFields, value)
        default: return true
        }
    }

    private mutating func setSeconds(
        _ seconds: WritableKeyPath<CacheControl, Int64?>,
        _ value: StructuredDictionary.Value
    ) -> Bool {
        guard case .integer(let number) = value else { return false }
        self[keyPath: seconds] = DeltaSeconds.clamped(number)
        return true
    }

    private mutating func setQualified(
        _ flag: Flags,
        _ list: WritableKeyPath<CacheControl, [[UInt8]]>,
        _ value: StructuredDictionary.Value
    ) -> Bool {
        switch value {
        case .boolean(let isSet):
            if isSet { flags.insert(flag) }
        case .string(let text):
            let names = text.plainMembers.map(\.lowercased)
            insertQualified(flag, names.isEmpty ? nil : names, into: list)
        case .token(let name):
            self[keyPath: list].append(name.lowercased)
        case .innerList(let items):
            let names = items.compactMap { $0?.lowercased }
            insertQualified(flag, names.isEmpty || names.count < items.count ? nil : names, into: list)
        case .integer, .other: return false
        }
        return true
    }
}

/// The directives that govern a response, and the field they are from.
public struct GoverningControl: Sendable, Equatable {
    public var control: CacheControl
    /// The targeted field that replaces Cache-Control and Expires; nil if Cache-Control itself governs.
    public var targetedField: KnownField?

    /// Uses the first valid one of the targeted `fields`, else Cache-Control (RFC 9213 §2.2).
    public init(of response: borrowing Fields, targeted fields: [KnownField]) {
        for field in fields {
            if let text = response.combined(field), let control = CacheControl(targeted: text) {
                self.control = control
                targetedField = field
                return
            }
        }
        control = CacheControl(response)
        targetedField = nil
    }
}
