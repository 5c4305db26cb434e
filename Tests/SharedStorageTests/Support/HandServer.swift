@testable import SharedStorage

/// A server whose replies a test gives by hand.
final class HandServer: SharedServer {
    private struct Batch {
        let commands: [RedisCommand]
        let time: Duration
        let completion: (SharedResult) -> Void
    }

    private var batches: [Batch] = []
    private var told: [[UInt8]: () -> Void] = [:]
    private(set) var isPrepared = false
    private(set) var isClosed = false

    /// The first words of the commands that wait for replies.
    var waiting: [[String]] { batches.map { $0.commands.map { Self.text($0.arguments[0]) } } }
    /// The last word of the first command that waits.
    var lastWord: String? { batches.first?.commands.first?.arguments.last.map(Self.text) }
    /// All words of the first command that waits.
    var words: [String] { batches.first?.commands.first?.arguments.map(Self.text) ?? [] }
    /// How long the first batch that waits may take.
    var time: Duration? { batches.first?.time }
    var channels: Int { told.count }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    func prepare() { isPrepared = true }

    func send(_ commands: [RedisCommand], within time: Duration, _ completion: @escaping (SharedResult) -> Void) {
        batches.append(Batch(commands: commands, time: time, completion: completion))
    }

    func listen(to channel: [UInt8], _ told: @escaping () -> Void) { self.told[channel] = told }
    func leave(_ channel: [UInt8]) { told[channel] = nil }
    func close() { isClosed = true }

    /// Ends the batch that has waited longest.
    func reply(_ replies: RedisReply...) { end(.success(replies)) }
    func fail(_ failure: SharedFailure = .timeout) { end(.failure(failure)) }

    private func end(_ result: SharedResult) {
        guard !batches.isEmpty else { return }
        batches.removeFirst().completion(result)
    }

    /// Publishes something on all channels.
    func tell() { for each in told.values { each() } }
}
