/// The sources that a loop keeps alive, by index.
struct SourceList {
    private var sources: [IOSource?] = []
    private var free: [Int] = []

    /// How many sources are registered.
    var count: Int { sources.count - free.count }

    mutating func insert(_ source: IOSource) -> Int {
        if let index = free.popLast() {
            sources[index] = source
            return index
        }
        sources.append(source)
        return sources.count - 1
    }

    mutating func remove(_ index: Int) {
        guard sources.indices.contains(index), sources[index] != nil else { return }
        sources[index] = nil
        free.append(index)
    }

    /// Removes and returns all sources.
    mutating func removeAll() -> [IOSource] {
        defer {
            sources = []
            free = []
        }
        return sources.compactMap(\.self)
    }
}
