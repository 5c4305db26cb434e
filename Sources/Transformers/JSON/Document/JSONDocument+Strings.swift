extension JSONDocument {
    /// Whether a value is that of a member of this name; escapes count as what they stand for.
    ///
    /// Costs no more than the length of `name`, however long the other one is.
    func hasName(_ node: Int, _ name: [UInt8]) -> Bool {
        var at = Int(nodes[node].name)
        guard at > 0 else { return false }
        at += 1
        var matched = 0
        while octets[at] != 0x22 {
            if octets[at] == 0x5C {
                var characters: [UInt8] = []
                appendEscape(&at, to: &characters)
                guard name[matched...].starts(with: characters) else { return false }
                matched += characters.count
            } else {
                guard matched < name.count, octets[at] == name[matched] else { return false }
                matched += 1
                at += 1
            }
        }
        return matched == name.count
    }

    /// The name of the member whose value this is, without escapes; empty if it is no member.
    func name(of node: Int) -> [UInt8] {
        let start = Int(nodes[node].name)
        return start > 0 ? unescaped(from: start) : []
    }

    /// What a string says: UTF-8 without escapes.
    ///
    /// A surrogate that stands alone becomes three octets in the manner of UTF-8, so that it equals only itself.
    func string(of node: Int) -> [UInt8] { unescaped(from: Int(nodes[node].start)) }

    /// Reads the string that begins with the quotation mark at `start`.
    private func unescaped(from start: Int) -> [UInt8] {
        var result: [UInt8] = []
        var at = start + 1
        while at < octets.count, octets[at] != 0x22 {
            if octets[at] == 0x5C {
                appendEscape(&at, to: &result)
            } else {
                result.append(octets[at])
                at += 1
            }
        }
        return result
    }

    /// Appends what the escape at `at` stands for and moves behind it.
    private func appendEscape(_ at: inout Int, to result: inout [UInt8]) {
        if let octet = JSONOctet.unescaped(octets[at + 1]) {
            result.append(octet)
            at += 2
            return
        }
        var point = unit(at) ?? 0xFFFD
        at += 6
        if point & 0xFC00 == 0xD800, let low = unit(at), low & 0xFC00 == 0xDC00 {
            point = 0x1_0000 + ((point & 0x3FF) << 10 | low & 0x3FF)
            at += 6
        }
        JSONOctet.append(point, to: &result)
    }

    /// The code unit of an escape such as `\u00E4`; nil if there is none at `start`.
    private func unit(_ start: Int) -> UInt32? {
        guard start + 6 <= octets.count, octets[start] == 0x5C, octets[start + 1] == 0x75 else { return nil }
        var unit: UInt32 = 0
        for index in start + 2..<start + 6 {
            guard let digit = JSONOctet.hexadecimal(octets[index]) else { return nil }
            unit = unit << 4 | digit
        }
        return unit
    }
}
