/// Buffers that the streams of one loop use one after the other, so that an idle stream holds none.
struct LoopBuffers {
    /// Spare output buffers that are kept besides the next one.
    private static let spareLimit = 64

    /// Where streams read to.
    let input = ReadBuffer()
    /// For bytes on their way into or out of TLS; lent within one call only.
    private(set) lazy var passage = ReadBuffer()
    /// Where TLS puts what is to be sent; empty between the calls of streams.
    var ciphertext: [UInt8] = []
    /// The output buffer to be used next: most often the only spare one.
    private var nextOutput: OutputBuffer?
    private var spareOutputs: [OutputBuffer] = []

    mutating func takeOutput() -> OutputBuffer { nextOutput.take() ?? spareOutputs.popLast() ?? OutputBuffer() }

    /// Keeps an empty output buffer for the next stream that writes.
    mutating func giveBack(_ buffer: OutputBuffer) {
        // To compare with nil would retain it.
        if case .some = nextOutput {
            if spareOutputs.count < Self.spareLimit { spareOutputs.append(buffer) }
        } else {
            nextOutput = buffer
        }
    }

    /// Takes the spare buffers out.
    mutating func takeSpares() -> [OutputBuffer] {
        defer { spareOutputs = [] }
        return spareOutputs + [nextOutput.take()].compactMap(\.self)
    }
}
