import Formats
import HTTPCore
import ResourceCore
import Stores

/// Writes events as Server-Sent Events: id, name and data.
enum EventText {
    /// - Parameter common: where the resource keeps shared responses.
    static func text(of change: ResourceChange, common: Partition, id: String, now: MonotonicTime) -> [UInt8] {
        var text = Array("id: \(id)\nevent: \(name(of: change.event))\ndata: ".utf8)
        var writer = JSONWriter()
        writer.object { write(change, common, now, to: &$0) }
        text += writer.bytes
        text += [0x0A, 0x0A]
        return text
    }

    /// The first message to a listener of one resource (S-207); it has no number, because it is not an event.
    static func snapshot(of uri: TargetURI, _ resource: Resource?, now: MonotonicTime) -> [UInt8] {
        let state = resource?.snapshot
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("uri", bytes: uri.bytes)
            writer.member("isLoading", state?.isLoading ?? false)
            if let error = state?.latestFailure { writer.memberObject("error") { error.write(to: &$0) } }
            if let resource, let state { write(state, resource.commonPartition, now, to: &writer) }
        }
        return Array("event: snapshot\ndata: ".utf8) + writer.bytes + [0x0A, 0x0A]
    }

    /// The progress of a load, from 0 to 1.
    static func progress(_ progress: Double, of uri: TargetURI, id: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("uri", bytes: uri.bytes)
            writer.name("progress")
            writer.real(progress)
        }
        return Array("id: \(id)\nevent: progress\ndata: ".utf8) + writer.bytes + [0x0A, 0x0A]
    }

    /// The name of the event, without its source.
    private static func name(of event: ResourceEvent) -> String {
        if case .newData = event { "newData" } else { event.text }
    }

    private static func write(
        _ change: ResourceChange,
        _ common: Partition,
        _ now: MonotonicTime,
        to writer: inout JSONWriter
    ) {
        writer.member("uri", bytes: change.uri.bytes)
        writer.member("sequence", Int64(clamping: change.sequence))
        if case .newData(let source) = change.event { writer.member("source", source.rawValue) }
        writer.member("isLoading", change.state.isLoading)
        if let error = change.state.latestFailure, change.event == .error {
            writer.memberObject("reason") { error.write(to: &$0) }
        }
        write(change.state, common, now, to: &writer)
    }

    private static func write(
        _ state: ResourceSnapshot,
        _ common: Partition,
        _ now: MonotonicTime,
        to writer: inout JSONWriter
    ) {
        guard let stored = state.latestResponse ?? state.variants.last else { return }
        writer.member("status", Int(stored.status))
        writer.member("size", stored.contentLength)
        stored.extent?.write(to: &writer)
        writer.member("state", stored.isFresh(at: now) ? "fresh" : "stale")
        writer.member("ttlSeconds", stored.ttl(at: now))
        writer.member("partition", stored.partition == common ? "shared" : "private")
    }
}
