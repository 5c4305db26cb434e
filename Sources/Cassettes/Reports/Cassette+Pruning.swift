extension Cassette {
    /// The cassette without superfluous responses: a replay by the standard rules is the same.
    ///
    /// A replay repeats the last response to a request. So of responses at the end that differ only in times, the first
    /// one is enough.
    public var pruned: Cassette {
        var last: [[UInt8]: Int] = [:]
        var kept: [CassetteEntry?] = []
        var runs: [[UInt8]: [Int]] = [:]
        for (index, entry) in entries.enumerated() {
            let key = ComparedRequest(entry.request).key(.standard)
            if let former = last[key], entries[former].response.isLike(entry.response) {
                runs[key, default: []].append(index)
            } else {
                runs[key] = []
            }
            last[key] = index
            kept.append(entry)
        }
        for index in runs.values.joined() { kept[index] = nil }
        return Cassette(entries: kept.compactMap { $0 }, scrubbing: scrubbing)
    }
}

extension CassetteResponse {
    /// Whether a client sees the same, but for times.
    fileprivate func isLike(_ other: CassetteResponse) -> Bool {
        func timeless(_ fields: [CassetteField]) -> [CassetteField] {
            fields.filter { !["age", "date", "expires"].contains($0.name.lowercased()) }
        }
        return status == other.status && content == other.content && timeless(fields) == timeless(other.fields)
            && trailers == other.trailers
    }
}
