import Platform
import Settings

/// A part in which a request differs from a recorded one.
public struct RequestDifference: Sendable, Equatable {
    /// `method`, `host`, `path`, `query parameter page`, `field accept`, `$.messages[0].content`, `content`.
    public var place: String
    /// The recorded value; nil: there is none.
    public var recorded: String?
    /// The request's value; nil: there is none.
    public var asked: String?

    public init(_ place: String, recorded: String?, asked: String?) {
        self.place = place
        self.recorded = recorded
        self.asked = asked
    }

    /// `$.a: recorded 1, asked 2`.
    public var text: String {
        switch (recorded, asked) {
        case (let recorded?, let asked?): "\(place): recorded \(recorded), asked \(asked)"
        case (let recorded?, nil): "\(place): recorded \(recorded), not asked"
        case (nil, let asked?): "\(place): not recorded, asked \(asked)"
        case (nil, nil): place
        }
    }

    /// Longer values are shortened.
    private static let mostCharacters = 120

    /// What differs, as far as the rules compare it.
    static func all(
        between recorded: ComparedRequest,
        and asked: ComparedRequest,
        _ rules: MatchRules
    ) -> [RequestDifference] {
        var all: [RequestDifference] = []
        func compare(_ part: MatchRules.Part, _ place: String, _ old: String?, _ new: String?) {
            guard rules.parts.contains(part), old != new else { return }
            all.append(RequestDifference(place, recorded: old.map(shown), asked: new.map(shown)))
        }
        compare(.method, "method", recorded.request.method, asked.request.method)
        compare(.host, "host", recorded.location.host, asked.location.host)
        compare(.path, "path", recorded.location.path, asked.location.path)
        if rules.parts.contains(.query) {
            let (old, new) = (recorded.location, asked.location)
            all += parameters(old.parameters, new.parameters, "query parameter", isSame: old.query == new.query)
        }
        for name in ComparedRequest.fields(rules) {
            compare(
                .field(name),
                "field \(name)",
                recorded.request.fields.value(of: name),
                asked.request.fields.value(of: name)
            )
        }
        if rules.parts.contains(.content) { all += content(recorded, asked) }
        return all
    }

    private static func shown(_ text: String) -> String {
        "\"\(TerminalText.printable(text).shortened(to: mostCharacters))\""
    }

    /// - Parameter isSame: whether the texts of the parameters are equal.
    private static func parameters(
        _ recorded: [(name: String, value: String)],
        _ asked: [(name: String, value: String)],
        _ kind: String,
        isSame: Bool
    ) -> [RequestDifference] {
        guard !isSame else { return [] }
        var all: [RequestDifference] = []
        var names: [String] = []
        for parameter in recorded + asked where !names.contains(parameter.name) { names.append(parameter.name) }
        for name in names {
            let old = recorded.filter { $0.name == name }.map(\.value)
            let new = asked.filter { $0.name == name }.map(\.value)
            for index in 0..<max(old.count, new.count) {
                let values = (old.dropFirst(index).first, new.dropFirst(index).first)
                guard values.0 != values.1 else { continue }
                let place = "\(kind) \(TerminalText.printable(FormText.unescaped(name)))"
                let texts = (values.0.map(FormText.unescaped).map(shown), values.1.map(FormText.unescaped).map(shown))
                all.append(RequestDifference(place, recorded: texts.0, asked: texts.1))
            }
        }
        return all.isEmpty ? [RequestDifference("the order of each \(kind)", recorded: nil, asked: nil)] : all
    }

    // MARK: Content

    private static func content(_ recorded: ComparedRequest, _ asked: ComparedRequest) -> [RequestDifference] {
        guard recorded.content != asked.content else { return [] }
        switch (recorded.content, asked.content) {
        case (.json(let old), .json(let new)):
            return JSONDifference.changes(from: old, to: new).map { change in
                RequestDifference(
                    change.path,
                    recorded: change.old.map { JSONDifference.text($0, mostCharacters) },
                    asked: change.new.map { JSONDifference.text($0, mostCharacters) }
                )
            }
        case (.bytes(let old), .bytes(let new)):
            let kinds = [recorded, asked].map { ContentKind($0.request.fields, $0.request.content) }
            if kinds == [.form, .form] {
                let texts = [old, new].map { FormText.parameters(String(decoding: $0, as: UTF8.self)) }
                return parameters(texts[0], texts[1], "form parameter", isSame: false)
            }
            return [bytes(old, new)]
        default:
            return [
                RequestDifference("content", recorded: summary(recorded.content), asked: summary(asked.content))
            ]
        }
    }

    private static func summary(_ content: ComparedRequest.Content) -> String? {
        switch content {
        case .none: nil
        case .json(let value): JSONDifference.text(value, mostCharacters)
        case .bytes(let bytes): excerpt(bytes[...])
        }
    }

    /// The first place at which bytes differ, and what is there.
    private static func bytes(_ old: [UInt8], _ new: [UInt8]) -> RequestDifference {
        let start = zip(old, new).prefix { $0 == $1 }.count
        // A few equal bytes before it help people to find the place.
        let shown = max(0, start - 8)
        return RequestDifference(
            "content from byte \(start)",
            recorded: excerpt(old[shown...]),
            asked: excerpt(new[shown...])
        )
    }

    private static func excerpt(_ bytes: ArraySlice<UInt8>) -> String {
        shown(String(decoding: bytes.prefix(mostCharacters / 2), as: UTF8.self))
    }
}
