/// What changes in every turn of a loop; exempt from the exclusivity checks for the reason given at `StreamState`.
final class LoopState {
    @safe @exclusivity(unchecked) var timers = TimerQueue()
    @safe @exclusivity(unchecked) var wheel: DeadlineWheel
    @safe @exclusivity(unchecked) var clock: LoopClock
    /// The output buffer that comes next; one after the other uses it.
    @safe @exclusivity(unchecked) var spareOutput: OutputBuffer?
    /// To compare with nil would retain it.
    var hasSpareOutput: Bool { if case .some = spareOutput { true } else { false } }
    /// More output buffers no stream needs at present.
    @safe @exclusivity(unchecked) var spareOutputs: [OutputBuffer] = []
    /// Where TLS streams put what is to be sent; empty between their calls.
    @safe @exclusivity(unchecked) var spareCiphertext: [UInt8] = []
    /// For bytes on their way into or out of a TLS stream; lent within one call only.
    lazy var passageBuffer = ReadBuffer()
    @safe @exclusivity(unchecked) var endOfTurn: [() -> Void] = []
    /// Streams with something to do at the end of the turn.
    @safe @exclusivity(unchecked) var dirtyStreams: [Stream] = []
    /// The deadline the base's timer is armed for; nil if it is not armed.
    @safe @exclusivity(unchecked) var armedDeadline: Int64?

    init(clock: LoopClock, wheel: DeadlineWheel) {
        self.clock = clock
        self.wheel = wheel
    }
}
