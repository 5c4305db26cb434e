import Locking

/// The parsed content of a system configuration file, read again when the file changes; shared by all loops.
final class WatchedFile<Value: Sendable>: Sendable {
    private struct State {
        var version: FileVersion?
        var value: Value
    }

    private let path: String
    private let parse: @Sendable ([UInt8]) -> Value
    private let state: Lock<State?>

    /// - Parameter parse: reads the bytes of the file; it gets an empty array if there is no file.
    init(_ path: String, parse: @escaping @Sendable ([UInt8]) -> Value) {
        self.path = path
        self.parse = parse
        state = Lock(nil)
    }

    /// The current content; costs one `stat` if the file has not changed.
    ///
    /// If the file is there and cannot be read, this is the content it had before, and the next call reads again.
    func value() -> Value {
        let version = FileVersion(of: path)
        let known = state.withLock { $0?.version == version ? $0?.value : nil }
        if let known { return known }
        guard let bytes = version == nil ? [] : SystemFile.read(path) else {
            return state.withLock { $0?.value } ?? parse([])
        }
        let value = parse(bytes)
        state.withLock { $0 = State(version: version, value: value) }
        return value
    }
}
