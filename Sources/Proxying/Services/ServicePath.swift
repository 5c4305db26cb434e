import HTTPCore

/// The path of a request to a service: it never leads out of the base.
enum ServicePath {
    /// Whether nothing in `rest` could be read as a dot segment, so that it is appended to the base unchanged.
    static func isPlain(_ rest: Span<UInt8>) -> Bool {
        for index in rest.indices {
            switch rest[index] {
            case 0x3F: return true
            case 0x25, 0x5C: return false
            case 0x2E where index > 0 && rest[index - 1] == 0x2F: return false
            default: continue
            }
        }
        return true
    }

    /// Resolves the dot segments of `rest`, also those with encoded dots; a query stays.
    ///
    /// Encoded slashes stay as sent. Returns nil if an origin that decodes them could be led upward.
    static func resolved(_ rest: [UInt8]) -> [UInt8]? {
        let end = rest.firstIndex(of: 0x3F) ?? rest.endIndex
        guard end > 0 else { return rest }
        var output: [ArraySlice<UInt8>] = []
        let segments = rest[1..<end].split(separator: 0x2F, omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            let plain = decoded(segment)
            if plain == [0x2E] || plain == [0x2E, 0x2E] {
                if plain.count == 2 { _ = output.popLast() }
                if isLast { output.append([]) }
            } else if leadsUp(plain) {
                return nil
            } else {
                output.append(segment)
            }
        }
        return output.reduce(into: []) { path, segment in
            path.append(0x2F)
            path.append(contentsOf: segment)
        } + rest[end...]
    }

    /// Whether one of the names between slashes or backslashes is `..`, alone or before a semicolon.
    private static func leadsUp(_ segment: [UInt8]) -> Bool {
        segment.split { $0 == 0x2F || $0 == 0x5C }.contains { part in
            let name = part.prefix { $0 != 0x3B }
            return name.elementsEqual([0x2E, 0x2E])
        }
    }

    /// Decodes the bytes that could make a dot segment: dot, slash, backslash, semicolon.
    private static func decoded(_ segment: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = segment
        while let byte = rest.popFirst() {
            if byte == 0x25, let code = code(rest) {
                result.append(code)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return result
    }

    private static func code(_ digits: ArraySlice<UInt8>) -> UInt8? {
        switch digits.prefix(2).map(\.asciiLowercased) {
        case [0x32, 0x65]: 0x2E
        case [0x32, 0x66]: 0x2F
        case [0x35, 0x63]: 0x5C
        case [0x33, 0x62]: 0x3B
        default: nil
        }
    }
}
