/// Buffers that the streams of one loop use in turn, so that an idle stream has none.
struct LoopBuffers {
    /// How many spare output buffers are kept besides the next one.
    private static let spareLimit = 64

    /// The buffer into which streams read.
    let input = ReadBuffer()
    /// For bytes on their way into or out of TLS; lent only within one call.
    private(set) lazy var passage = ReadBuffer()
    /// Encrypted bytes that TLS wants to send; empty between calls of streams.
    var ciphertext: [UInt8] = []
    /// The spare output buffer for the next stream; most often the only one.
    private var nextOutput: OutputBuffer?
    private var spareOutputs: [OutputBuffer] = []

    mutating func takeOutput() -> OutputBuffer { nextOutput.take() ?? spareOutputs.popLast() ?? OutputBuffer() }

    /// Keeps an empty output buffer for the next stream that writes.
    mutating func addSpare(_ buffer: OutputBuffer) {
        // Comparing with nil would retain it.
        if case .some = nextOutput {
            if spareOutputs.count < Self.spareLimit { spareOutputs.append(buffer) }
        } else {
            nextOutput = buffer
        }
    }

    /// Removes and returns the spare buffers.
    mutating func takeSpares() -> [OutputBuffer] {
        defer { spareOutputs = [] }
        return spareOutputs + [nextOutput.take()].compactMap(\.self)
    }
}
