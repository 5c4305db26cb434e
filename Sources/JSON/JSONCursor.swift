import CommandSyntax

/// A position in a JSON text.
///
/// Reading from it checks types and names, and errors contain the path of the fault (H-146).
public struct JSONCursor: Sendable {
    public let value: JSONValue
    /// `$` for the whole text, `$.items[2].name` below it.
    public let path: String

    public init(_ value: JSONValue, path: String = "$") {
        self.value = value
        self.path = path
    }

    public func text() throws(JSONError) -> String {
        guard case .text(let text) = value else { throw mismatch("text") }
        return text
    }

    public func boolean() throws(JSONError) -> Bool {
        guard case .boolean(let flag) = value else { throw mismatch("true or false") }
        return flag
    }

    public func integer(in range: ClosedRange<Int64> = .min ... .max) throws(JSONError) -> Int64 {
        guard case .integer(let number) = value, range.contains(number) else {
            let isWide = range == .min ... .max
            throw mismatch(isWide ? "a whole number" : "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    public func elements() throws(JSONError) -> [JSONCursor] {
        guard case .array(let values) = value else { throw mismatch("an array") }
        return values.enumerated().map { JSONCursor($1, path: "\(path)[\($0)]") }
    }

    /// Throws unless this is an object without other members than these.
    public func requireObject(members names: [String]) throws(JSONError) {
        guard case .object(let members) = value else { throw mismatch("an object") }
        guard let unknown = members.first(where: { !names.contains($0.name) }) else { return }
        let nearest = NearestName.find(unknown.name, in: names).map { "; did you mean \"\($0)\"?" } ?? ""
        throw JSONError(path: memberPath(unknown.name), userMessage: "is unknown\(nearest)")
    }

    /// The member of that name; nil if it is absent.
    public func member(_ name: String) -> JSONCursor? { value[name].map { JSONCursor($0, path: memberPath(name)) } }

    public func requiredMember(_ name: String) throws(JSONError) -> JSONCursor {
        guard let member = member(name) else { throw JSONError(path: memberPath(name), userMessage: "is missing") }
        return member
    }

    /// An error at this position.
    public func error(_ message: String) -> JSONError { JSONError(path: path, userMessage: message) }

    private func mismatch(_ expected: String) -> JSONError { error("must be \(expected), not \(value.kindName)") }

    /// The path of a member; names that are not plain words are omitted, because they come from a peer.
    private func memberPath(_ name: String) -> String {
        let isPlain =
            !name.isEmpty && name.utf8.count <= 64 && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 }
        return isPlain ? "\(path).\(name)" : "\(path).…"
    }
}
