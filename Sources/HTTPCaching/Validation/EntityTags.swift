import HTTPCore

/// Entity tags as opaque octets (RFC 9110 §8.8.3): only an exact `W/` in front is special, quotes belong to the tag.
enum EntityTags {
    static func isWeak(_ tag: [UInt8]) -> Bool { tag.starts(with: [0x57, 0x2F]) }

    static func matchWeakly(_ left: [UInt8], _ right: [UInt8]) -> Bool { opaque(left) == opaque(right) }

    static func matchStrongly(_ left: [UInt8], _ right: [UInt8]) -> Bool { !isWeak(left) && left == right }

    private static func opaque(_ tag: [UInt8]) -> ArraySlice<UInt8> { isWeak(tag) ? tag.dropFirst(2) : tag[...] }

    /// The members of If-Match or If-None-Match; commas inside a tag's quotes separate nothing, backslashes are plain.
    static func members(of list: [UInt8]) -> [[UInt8]] {
        var members: [[UInt8]] = []
        var start = 0
        var isQuoted = false
        for index in 0...list.count {
            if index < list.count {
                let opens = opensTag(list, at: index, memberStart: start)
                if list[index] == 0x22, isQuoted || opens { isQuoted.toggle() }
                if isQuoted || list[index] != 0x2C { continue }
            }
            let member = Array(list[start..<index]).trimmed
            if !member.isEmpty { members.append(member) }
            start = index + 1
        }
        return members
    }

    /// A quote begins a quoted tag only at the start of a member, behind `W/` at most.
    private static func opensTag(_ list: [UInt8], at index: Int, memberStart: Int) -> Bool {
        guard list[index] == 0x22 else { return false }
        let before = Array(list[memberStart..<index]).trimmed
        return before.isEmpty || before == [0x57, 0x2F]
    }
}
