import CLinux
import LibC

/// The environment variables of a process, byte for byte, in their order.
public struct ProcessEnvironment: Sendable, Equatable {
    /// The entries, each `NAME=value`.
    public private(set) var entries: [[UInt8]]

    public init(entries: [[UInt8]] = []) { self.entries = entries }

    /// The variables of this process.
    ///
    /// Do not call it while another thread changes them.
    public static var current: ProcessEnvironment {
        var entries: [[UInt8]] = []
        guard var next = unsafe respite_environment() else { return ProcessEnvironment() }
        while let entry = unsafe next.pointee {
            entries.append(unsafe bytes(of: entry))
            unsafe next += 1
        }
        return ProcessEnvironment(entries: entries)
    }

    public subscript(name: String) -> String? {
        get {
            let start = Array("\(name)=".utf8)
            return entries.first { $0.starts(with: start) }
                .map { String(decoding: $0.dropFirst(start.count), as: UTF8.self) }
        }
        set {
            let start = Array("\(name)=".utf8)
            entries.removeAll { $0.starts(with: start) }
            if let newValue { entries.append(start + Array(newValue.utf8)) }
        }
    }
}

func bytes(of text: UnsafeMutablePointer<CChar>) -> [UInt8] {
    let count = unsafe strlen(text)
    return (0..<count).map { unsafe UInt8(bitPattern: text[$0]) }
}
