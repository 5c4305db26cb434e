import HTTPCaching
import HTTPCore

/// What a resource knows of one of its loads.
struct LoadRecord {
    let load: Load
    /// The request that caused it; its fields and credentials select the variant.
    let request: ClientRequest
    let forward: ForwardReason
    /// The stored responses whose validators were sent, the selected one first.
    let offered: [StoredResponse]
    /// Before its head nobody joins it.
    let isSolo: Bool
    /// Refreshes what was served stale, or was asked for by nobody in particular: never abandoned.
    let isBackground: Bool
    /// The names that select as far as known when it began, and the selection by them.
    let vary: VaryNames
    let selection: [UInt8]
    /// Whether the response is kept for `latestResponse` even if no cache may reuse it.
    var isModel: Bool
    /// Began before a purge, wipe or override: serves those who have joined and commits nothing.
    var isDetached = false
    /// The waiting request that caused it; only it gets a response that may not be shared.
    var leader: ObjectIdentifier?
    var waiters: [ObjectIdentifier: Attendance] = [:]
    /// Requests that follow the response.
    var followers: Set<ObjectIdentifier> = []
    var requests: [Request] = []
    /// Set once the head has come.
    var arrival: Arrival?
    /// Until when it may go on although nobody wants it; set while that is so.
    var abandonedUntil: MonotonicTime?

    /// The response of a load, and what may become of it.
    struct Arrival {
        let response: LoadedResponse
        let storability: Storability
        /// Where it is going to be stored; nil if it is not.
        var partition: Partition?
        /// The selection of its variant.
        let selection: [UInt8]
        /// By what it was judged.
        let effective: EffectiveConfiguration
    }

    var number: UInt64 { load.number }
    /// Whether anybody wants what it brings.
    var hasInterest: Bool { !waiters.isEmpty || !followers.isEmpty || !requests.isEmpty }
    /// Whether what it brings is for everybody, not for the client with credentials who caused it.
    var isForEverybody: Bool { request.partitions == Partitions() || arrival?.partition == .shared }
    /// Whether what it brings may still get into the store, as far as is known.
    var mayBeStored: Bool {
        guard let arrival else { return !isDetached }
        return !isDetached && arrival.partition != nil && arrival.response.body.isStorable
    }
    /// The content, if somebody waits for its end and nobody reads it.
    var unreadBody: GrowingBody? {
        requests.isEmpty || !waiters.isEmpty || !followers.isEmpty ? nil : arrival?.response.body
    }
}
