import CHiredis

/// Writes commands in the protocol of Redis, by hiredis.
enum CommandWriter {
    /// Appends a command to `output`; false if it is too large.
    static func append(_ command: RedisCommand, to output: inout [UInt8]) -> Bool {
        let bytes = command.arguments.flatMap { $0 }
        let lengths = command.arguments.map(\.count)
        return unsafe bytes.withUnsafeBytes { buffer in
            var start = 0
            var pointers = unsafe lengths.map { length -> UnsafePointer<CChar>? in
                defer { start += length }
                // An empty argument needs an address, too.
                let base = unsafe buffer.baseAddress?.advanced(by: start) ?? UnsafeRawPointer(bitPattern: 1)
                return unsafe base?.assumingMemoryBound(to: CChar.self)
            }
            var target: UnsafeMutablePointer<CChar>?
            let count = unsafe redisFormatCommandArgv(&target, Int32(clamping: pointers.count), &pointers, lengths)
            guard count > 0, let target = unsafe target else { return false }
            unsafe output.append(contentsOf: UnsafeRawBufferPointer(start: target, count: Int(count)))
            unsafe redisFreeCommand(target)
            return true
        }
    }
}
