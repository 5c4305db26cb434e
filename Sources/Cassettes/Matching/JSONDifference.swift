import Formats
public import JSON
import Platform
import Settings

/// What differs between two JSON values, by paths such as `$.items[3].price`.
public enum JSONDifference {
    public struct Change: Equatable {
        public var path: String
        /// Nil: there was nothing.
        public var old: JSONValue?
        /// Nil: there is nothing any more.
        public var new: JSONValue?

        /// `$.price: 5 -> 6`, `$.new: added "x"`, `$.old: removed, was 1`.
        public func text(limit: Int) -> String {
            let (old, new) = (old.map { JSONDifference.text($0, limit) }, new.map { JSONDifference.text($0, limit) })
            return switch (old, new) {
            case (let old?, let new?): "\(path): \(old) -> \(new)"
            case (nil, let new?): "\(path): added \(new)"
            case (let old?, nil): "\(path): removed, was \(old)"
            case (nil, nil): path
            }
        }
    }

    /// A value as JSON text of at most `limit` characters.
    static func text(_ value: JSONValue, _ limit: Int) -> String {
        var writer = JSONWriter()
        writer.value(value)
        return TerminalText.printable(String(decoding: writer.bytes, as: UTF8.self)).shortened(to: limit)
    }

    public static func changes(from old: JSONValue, to new: JSONValue) -> [Change] {
        var changes: [Change] = []
        compare(old, new, at: "$", &changes)
        return changes
    }

    private static func compare(_ old: JSONValue, _ new: JSONValue, at path: String, _ changes: inout [Change]) {
        guard old != new else { return }
        switch (old, new) {
        case (.object(let before), .object(let after)):
            for member in before {
                let path = path + step(member.name)
                if let value = new[member.name] {
                    compare(member.value, value, at: path, &changes)
                } else {
                    changes.append(Change(path: path, old: member.value))
                }
            }
            for member in after where old[member.name] == nil {
                changes.append(Change(path: path + step(member.name), new: member.value))
            }
        case (.array(let before), .array(let after)): compare(before, after, at: path, &changes)
        default: changes.append(Change(path: path, old: old, new: new))
        }
    }

    /// Skips equal elements at the beginning and the end, and compares those between one by one.
    private static func compare(
        _ before: [JSONValue],
        _ after: [JSONValue],
        at path: String,
        _ changes: inout [Change]
    ) {
        let start = zip(before, after).prefix { $0 == $1 }.count
        let most = min(before.count, after.count) - start
        let end = zip(before.reversed(), after.reversed()).prefix { $0 == $1 }.prefix(most).count
        let (old, new) = (before[start..<(before.count - end)], after[start..<(after.count - end)])
        for (index, values) in zip(old, new).enumerated() {
            compare(values.0, values.1, at: "\(path)[\(start + index)]", &changes)
        }
        for (index, value) in old.dropFirst(new.count).enumerated() {
            changes.append(Change(path: "\(path)[\(start + new.count + index)]", old: value))
        }
        for (index, value) in new.dropFirst(old.count).enumerated() {
            changes.append(Change(path: "\(path)[\(start + old.count + index)]", new: value))
        }
    }

    /// `.price`, or `["a b"]` for a name that is no identifier.
    private static func step(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { $0 | 0x20 &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == 0x5F }
        guard name.isEmpty || !isPlain || name.utf8.first.map({ $0 &- 0x30 < 10 }) == true else { return ".\(name)" }
        var writer = JSONWriter()
        writer.text(name)
        return "[\(TerminalText.printable(String(decoding: writer.bytes, as: UTF8.self)))]"
    }
}
