import Formats
import HTTPCore

extension JSONDocument {
    /// Whether a value belongs to a member with this name, which may be written with escapes.
    ///
    /// The cost is that of the length of `name`, however long the member's name is.
    func hasName(_ node: Int, _ name: [UInt8], ignoresCase: Bool = false) -> Bool {
        var at = Int(nodes[node].name)
        guard at > 0 else { return false }
        at += 1
        var matched = 0
        while bytes[at] != 0x22 {
            if bytes[at] == 0x5C {
                var characters: [UInt8] = []
                JSONString.appendEscape(of: bytes, &at, to: &characters, .encoded)
                let rest = name[matched...]
                let isEqual =
                    ignoresCase
                    ? rest.starts(with: characters) { $0.asciiLowercased == $1.asciiLowercased }
                    : rest.starts(with: characters)
                guard isEqual else { return false }
                matched += characters.count
            } else {
                guard matched < name.count,
                    bytes[at] == name[matched]
                        || (ignoresCase && bytes[at].asciiLowercased == name[matched].asciiLowercased)
                else { return false }
                matched += 1
                at += 1
            }
        }
        return matched == name.count
    }

    /// The name, without escapes, of the member whose value this is; empty for any other value.
    func name(of node: Int) -> [UInt8] {
        let start = Int(nodes[node].name)
        return start > 0 ? unescaped(from: start) : []
    }

    /// The value of a string: UTF-8 without escapes.
    ///
    /// A surrogate without its other half becomes three bytes in the pattern of UTF-8, so that it equals only itself.
    func string(of node: Int) -> [UInt8] { unescaped(from: Int(nodes[node].start)) }

    /// Reads the string whose quotation mark is at `start`.
    private func unescaped(from start: Int) -> [UInt8] {
        var result: [UInt8] = []
        var at = start + 1
        while at < bytes.count, bytes[at] != 0x22 {
            if bytes[at] == 0x5C {
                JSONString.appendEscape(of: bytes, &at, to: &result, .encoded)
            } else {
                result.append(bytes[at])
                at += 1
            }
        }
        return result
    }
}
