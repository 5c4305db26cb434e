/// What changes of resources are asked for, and what they did.
extension NamedSchema {
    private static let uriMember = SchemaMember.required("uri", .url, "An absolute http or https URL.")

    private static let dryRunMember = SchemaMember.optional(
        "dryRun",
        .boolean,
        "Whether only to say what would change; default false."
    )

    private static let byURI: [Schema] = [
        .exactObject([uriMember, dryRunMember]),
        .exactObject([
            .required("filter", .text, "Such as `http://host/**`; `**` is everything."), dryRunMember,
        ]),
    ]

    static let changeTarget = NamedSchema(
        "ChangeTarget",
        "One resource by its URI, or all that match a filter about URLs.",
        of: .either(byURI)
    )

    static let purgeTarget = NamedSchema(
        "PurgeTarget",
        "One resource by its URI, all that match a filter about URLs, or the responses with one of some tags.",
        of: .either(
            byURI + [
                .exactObject([
                    .required("tags", .list(.text), "1 to \(ChangeTarget.tagLimit) tags, as origins spell them."),
                    dryRunMember,
                ])
            ]
        )
    )

    static let refreshTarget = NamedSchema(
        "RefreshTarget",
        "One resource.",
        of: .exactObject([
            uriMember,
            .optional(
                "ifOlderThan",
                .integer(0, Int(RefreshTarget.mostSeconds)),
                "Load it only if the last load ended so many seconds ago, and none is under way."
            ),
        ])
    )

    static let purged = changed("Purged", "How many stored responses were removed.", [.required("purged", .count)])
    static let wiped = changed("Wiped", "How many responses left memory.", [.required("wiped", .count)])
    static let invalidated = changed(
        "Invalidated",
        "How many resources were marked stale.",
        [.required("invalidated", .count)]
    )

    /// The result of a change, or of a dry run.
    private static func changed(_ name: String, _ summary: String, _ members: [SchemaMember]) -> NamedSchema {
        NamedSchema(
            "\(name)OrPreview",
            "What was changed, or with `dryRun` what would be.",
            of: .either([.named(NamedSchema(name, summary, members)), .named(preview)])
        )
    }

    private static let preview = NamedSchema(
        "Preview",
        "What a change would be about. Nothing is changed.",
        [
            .required("dryRun", .boolean), .required("resources", .count, "How many resources."),
            .required("first", .list(.text), "The URIs of the first of them, at most 20."),
        ]
    )

    static let refreshed = NamedSchema(
        "Refreshed",
        "The result of a load.",
        [
            .required("uri", .text),
            .required("result", .word(["newData", "notModified", "recent"]), "`recent`: nothing was loaded."),
            .optional("status", .integer(100, 599)), .optional("bytes", .count),
            .optional("ageSeconds", .count, "How long ago the last load ended, for `recent`."),
        ]
    )

    static let replaced = NamedSchema(
        "Replaced",
        "What a resource has now.",
        [
            .required("uri", .text), .required("status", .integer(100, 599)), .required("size", .count),
            .required("durable", .boolean, "Whether the store has it on disk."),
        ]
    )
}
