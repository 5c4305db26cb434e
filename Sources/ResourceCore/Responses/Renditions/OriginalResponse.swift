import HTTPCaching
import HTTPCore
import Outcomes
import Stores
import Transforms

/// The response that a rendition is made of: stored, or still loading.
enum OriginalResponse: Sendable {
    case stored(StoredResponse)
    case loaded(LoadedResponse)

    var status: UInt16 {
        switch self {
        case .stored(let stored): stored.status
        case .loaded(let loaded): loaded.status
        }
    }

    var reason: [UInt8] {
        switch self {
        case .stored(let stored): stored.reason
        case .loaded(let loaded): loaded.reason
        }
    }

    /// The origin's fields.
    var fields: Fields {
        switch self {
        case .stored(let stored): stored.fields
        case .loaded(let loaded): loaded.fields
        }
    }

    var head: EntityHead { EntityHead(status: status, fields: fields) }

    /// The renditions of its content, complete or not.
    var renditions: Renditions {
        switch self {
        case .stored(let stored): stored.renditions
        case .loaded(let loaded): loaded.renditions
        }
    }

    /// Whether the content is redacted already.
    var isRedacted: Bool {
        switch self {
        case .stored(let stored): !stored.rendition.isEmpty
        case .loaded(let loaded): !loaded.rendition.isEmpty
        }
    }

    /// Whether several clients may read the content.
    var isShared: Bool {
        switch self {
        case .stored: true
        case .loaded(let loaded): loaded.body.isShared
        }
    }

    /// The partition that stores it; nil: it is not stored.
    var partition: Partition? {
        switch self {
        case .stored(let stored): stored.partition
        case .loaded(let loaded): loaded.partition
        }
    }

    /// Whether the rendition may be stored with the original.
    var isKept: Bool { partition != nil }

    /// Whether there is any content to transform.
    var hasContent: Bool {
        if status == 204 || status == 304 { return false }
        switch self {
        case .stored(let stored): return stored.contentLength > 0
        case .loaded(let loaded): return loaded.contentLength != 0
        }
    }

    var source: PipelineSource {
        switch self {
        case .stored(let stored): .stored(stored.body)
        case .loaded(let loaded): .growing(loaded.body)
        }
    }

    /// The result without a pipeline.
    func untouched(_ outcome: CacheOutcome) -> CacheResult {
        switch self {
        case .stored(let stored): .stored(stored, outcome)
        case .loaded(let loaded): .following(loaded, outcome)
        }
    }

    /// A loading response with this head and content, as old as the original.
    func following(
        _ head: EntityHead,
        _ body: GrowingBody,
        contentLength: Int64?,
        _ options: CachingOptions
    ) -> LoadedResponse {
        let (number, metadata, receivedAt) =
            switch self {
            case .stored(let stored): (stored.loadNumber, stored.metadata, stored.receivedAt)
            case .loaded(let loaded): (loaded.number, loaded.metadata, loaded.receivedAt)
            }
        return LoadedResponse(
            number: number,
            status: head.status,
            reason: head.status == status ? reason : [],
            fields: head.fields,
            metadata: metadata.derived(head, options),
            contentLength: contentLength,
            content: .growing(body),
            partition: partition,
            receivedAt: receivedAt
        )
    }
}

extension ResponseMetadata {
    /// The metadata under another head; the age stays.
    func derived(_ head: EntityHead, _ options: CachingOptions) -> ResponseMetadata {
        var fields = head.fields
        fields.set(.age, "\(ageAtReceiptSeconds)")
        return ResponseMetadata(
            status: head.status,
            fields: fields,
            requestTime: responseTime,
            responseTime: responseTime,
            options: options
        )
    }
}
