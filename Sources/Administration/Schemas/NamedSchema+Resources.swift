import HTTPCaching

/// What the API reports of resources.
extension NamedSchema {
    private static let partitions = ["shared", "private"]
    private static let states = [ResourceStanding.fresh.rawValue, ResourceStanding.stale.rawValue]

    static let resources = NamedSchema(
        "ResourceList",
        "A page of resources: those in memory, then those in the store.",
        [
            .required("resources", .list(.named(listedResource))),
            .optional("next", .text, "The `cursor` of the next page; absent on the last one."),
        ]
    )

    private static let extentMembers: [SchemaMember] = [
        .optional(
            "extents",
            .list(.object([.required("first", .count), .required("last", .count)])),
            "The stored bytes of a part; absent: all."
        ),
        .optional("total", .count, "The length of the whole."),
    ]

    private static let listedResource = NamedSchema(
        "ListedResource",
        "A resource in a listing, with its shared response, else the latest one.",
        [
            .required("id", .text, "Names it in paths of this API."), .required("uri", .text),
            .optional("state", .word(ResourceStanding.allCases.map(\.rawValue))),
            .optional("status", .integer(100, 599)), .optional("size", .count),
        ] + extentMembers + [
            .optional("contentType", .text), .optional("ageSeconds", .count),
            .optional("ttlSeconds", .whole, "Negative: so long it has been stale."),
            .optional("partition", .word(partitions)),
            .optional("variants", .count, "Variants in memory."),
            .optional("hits", .count, "Hits since it entered memory."),
            .required("inMemory", .boolean), .required("isLoading", .boolean),
            .optional("progress", .share, "The progress of its load."),
            .optional("error", .named(resourceError)),
        ]
    )

    static let resource = NamedSchema(
        "Resource",
        "All that is known of one resource.",
        [
            .required("id", .text, "Names it in paths of this API."), .required("uri", .text),
            .required("isLoading", .boolean), .optional("progress", .share, "The progress of its load."),
            .optional("error", .named(resourceError)),
            .optional("shared", .text, "What the shared server has for a GET of it."),
            .required("variants", .list(.named(variant)), "Shared ones first, then the latest."),
        ]
    )

    private static let resourceError = NamedSchema(
        "ResourceError",
        "Why the last load failed.",
        [
            .required("status", .integer(0, 599)), .optional("type", .word(failures), "An error type of RFC 9209."),
            .required("message", .text),
        ]
    )

    private static let variant = NamedSchema(
        "Variant",
        "One stored response.",
        [
            .required("number", .count), .required("state", .word(states)), .required("status", .integer(100, 599)),
            .required("partition", .word(partitions)),
            .required("vary", .list(.text), "The request fields by which variants differ."),
            .required(
                "selecting",
                .list(.list(.nullable(.text))),
                "These fields with the values that select it; null: absent, `…`: hidden."
            ),
            .required("size", .count),
        ] + extentMembers + [
            .required("ageSeconds", .count), .required("lifetimeSeconds", .count),
            .required("lifetimeSource", .word(lifetimeSources)),
            .optional("lifetimeRule", .text, "The rule that sets the lifetime."),
            .required("ttlSeconds", .whole, "Negative: so long it has been stale."),
            .required("isInvalidated", .boolean), .required("stored", .text, "An HTTP date."),
            .required("in", .word(["memory", "store"])),
            .optional("hits", .count, "Hits since it entered memory."),
            .required("renditions", .list(.named(rendition)), "Its stored renditions."),
            .required("forms", .list(.named(rendition)), "The old name of `renditions`."),
            .required("tags", .list(.text), "By which it is purged."),
            .required("fields", .list(.pair), "Names and values; values that give access to something are `…`."),
        ]
    )

    private static let lifetimeSources: [String] = {
        let sources: [LifetimeSource] = [.sMaxAge, .maxAge, .expires, .heuristic, .rule, .none]
        return sources.map(\.rawValue)
    }()

    private static let rendition = NamedSchema(
        "Rendition",
        "A transformed response, stored beside its original.",
        [
            .required("pipeline", .text), .optional("variation", .text), .optional("contentType", .text),
            .optional("contentEncoding", .text), .required("size", .count),
            .required("stored", .text, "An HTTP date."),
        ]
    )
}
