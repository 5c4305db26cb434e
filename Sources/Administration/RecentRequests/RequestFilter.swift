import HTTPCore
import HTTPServer
import Observability

/// Selects recent requests.
///
/// It has terms separated by blanks, and all must match. A term is `NAME=VALUE`, or a part of a URL or a pattern as for
/// resources. URLs are compared with masked secrets, so that nobody can guess one by asking.
struct RequestFilter: Sendable {
    private enum Term: Sendable {
        case part(RequiredText)
        case pattern(URLGlob)
        case status([ClosedRange<UInt16>])
        case method([UInt8])
        case outcome([String])
        case client(IPAddress)
        case service(String)
        case slower(nanoseconds: Int64)
    }

    private enum Name: String, CaseIterable { case status, method, cache, client, service, slower }

    private static let mostTerms = 16
    private let terms: [Term]

    /// Selects all requests.
    static let all = RequestFilter(terms: [])

    private init(terms: [Term]) { self.terms = terms }

    init(_ text: String) throws(AdminRefusal) {
        guard text.utf8.count <= 8192 else { throw AdminRefusal(400, "the filter is longer than 8192 bytes") }
        let words = text.split(separator: " ", maxSplits: Self.mostTerms)
        guard words.count <= Self.mostTerms else {
            throw AdminRefusal(400, "the filter has more than \(Self.mostTerms) terms")
        }
        var terms: [Term] = []
        for word in words {
            let position = text.distance(from: text.startIndex, to: word.startIndex) + 1
            terms.append(try Self.term(word, at: position))
        }
        self.init(terms: terms)
    }

    // MARK: Parsing

    private static func term(_ word: Substring, at position: Int) throws(AdminRefusal) -> Term {
        let name = word.prefix { $0.isASCII && $0.isLetter }
        let rest = word[name.endIndex...]
        guard !name.isEmpty, let sign = rest.first, sign == "=" || (sign == ":" && name == "status") else {
            return try url(word, at: position)
        }
        guard let known = Name(rawValue: String(name)) else {
            let names = Name.allCases.map { "\($0.rawValue)=" }.joined(separator: ", ")
            throw fault(
                position,
                "`\(name)=` is unknown; expected \(names), a part of a URL or a pattern (a parameter is `?\(name)=` there)"
            )
        }
        let value = rest.dropFirst()
        return try term(known, value, at: position + name.count + 1)
    }

    private static func term(_ name: Name, _ value: Substring, at position: Int) throws(AdminRefusal) -> Term {
        let choices = value.split(separator: ",", omittingEmptySubsequences: false)
        switch name {
        case .status:
            return .status(
                try choices.map { text throws(AdminRefusal) -> ClosedRange<UInt16> in
                    if let range = FilterTerm.statusRange(text) { return range }
                    throw fault(position, "expected a status such as 404, or a class such as 4xx")
                }
            )
        case .method:
            let bytes = Array(value.uppercased().utf8)
            guard Token.isToken(bytes.span) else { throw fault(position, "expected a method such as GET") }
            return .method(bytes)
        case .cache:
            let known = RequestOutcome.allCases.map { "\($0.text)" }
            for choice in choices where !known.contains(String(choice)) {
                throw fault(position, "expected one of \(known.joined(separator: ", "))")
            }
            return .outcome(choices.map(String.init))
        case .client:
            guard let address = IPAddress(text: String(value)) else {
                throw fault(position, "expected an address such as 127.0.0.1")
            }
            return .client(address)
        case .service:
            guard !value.isEmpty else { throw fault(position, "expected the name of a service") }
            return .service(String(value))
        case .slower:
            guard let nanoseconds = Self.nanoseconds(value) else {
                throw fault(position, "expected a time such as 250ms or 2s")
            }
            return .slower(nanoseconds: nanoseconds)
        }
    }

    private static func url(_ word: Substring, at position: Int) throws(AdminRefusal) -> Term {
        guard URLGlob.isPattern(word) else { return .part(RequiredText(Array(word.utf8))) }
        let text = String(word)
        do throws(URLGlob.SyntaxError) {
            return .pattern(try URLGlob(text))
        } catch {
            throw fault(position + error.column(in: text) - 1, "the pattern `\(text)` is wrong: \(error.userMessage)")
        }
    }

    private static func fault(_ position: Int, _ sentence: String) -> AdminRefusal {
        AdminRefusal(400, "the filter is wrong at character \(position): \(sentence)")
    }

    /// Reads whole milliseconds or seconds.
    private static func nanoseconds(_ text: Substring) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard digits.count <= 9, let number = Int64(digits) else { return nil }
        switch text[digits.endIndex...] {
        case "ms": return number * 1_000_000
        case "s": return number * 1_000_000_000
        default: return nil
        }
    }

    // MARK: Matching

    func matches(_ document: RequestDocument) -> Bool {
        let record = document.record
        return terms.allSatisfy { term in
            switch term {
            case .part(let part): part.mayMatch(document.target.span)
            case .pattern(let glob): Self.uri(of: document.target).map(glob.matches) ?? false
            case .status(let ranges): ranges.contains { $0.contains(record.status) }
            case .method(let method): record.method.bytes == method
            case .outcome(let words): words.contains(record.outcome)
            case .client(let client): record.client?.unmapped == client.unmapped
            case .service(let name): record.service == name
            case .slower(let nanoseconds): record.duration > nanoseconds
            }
        }
    }

    /// The URI of a masked target, in which the mask is escaped.
    private static func uri(of target: [UInt8]) -> TargetURI? {
        guard !target.contains(where: { $0 >= 0x80 }) else {
            let escaped = target.flatMap { $0 < 0x80 ? [$0] : Array("%\(String($0, radix: 16, uppercase: true))".utf8) }
            return try? TargetURI(parsing: escaped)
        }
        return try? TargetURI(parsing: target)
    }
}
