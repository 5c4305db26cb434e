extension TargetURI {
    /// This URI with parameters of its query set or, if the value is nil, removed; sorts all of them (S-031 to S-036).
    ///
    /// An empty value makes a bare name. Of several parameters with one name the last stays. A query without parameters
    /// loses its `?`. Other values stay byte for byte.
    ///
    /// Do not use it for targets of clients: it changes what `?k=1&k=2` means.
    package func settingParameters(_ parameters: [String: String?]) -> TargetURI {
        // The keys are unescaped names.
        var items: [[UInt8]: [UInt8]] = [:]
        for item in (query ?? []).split(separator: 0x26) {
            let name = item.prefix { $0 != 0x3D }
            // `name=` is the bare name (S-034).
            let isBare = item.count == name.count + 1
            items[PathText.unescaped(name, keeping: [])] = Array(isBare ? name : item)
        }
        for (name, value) in parameters {
            let name = Array(name.utf8)
            items[name] = value.map { Self.parameter(name, Array($0.utf8)) }
        }
        let sorted = items.filter { !$0.value.isEmpty }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        let path = bytes[..<pathRange.lowerBound] + pathWithoutQuery
        let query = sorted.isEmpty ? [] : [0x3F] + sorted.map(\.value).joined(separator: [0x26])
        return replacingAll(Array(path + query))
    }

    private static func parameter(_ name: [UInt8], _ value: [UInt8]) -> [UInt8] {
        var item: [UInt8] = []
        for byte in name { item.append(parameterByte: byte) }
        if value.isEmpty { return item }
        item.append(0x3D)
        for byte in value { item.append(parameterByte: byte) }
        return item
    }
}

extension [UInt8] {
    fileprivate mutating func append(parameterByte byte: UInt8) {
        if ByteSet.parameter.contains(byte) { append(byte) } else { append(escaping: byte) }
    }
}
