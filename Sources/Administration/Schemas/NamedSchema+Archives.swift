/// HAR files of what is stored.
extension NamedSchema {
    static let resourceArchive = NamedSchema(
        "ResourceArchive",
        "What a HAR file has of a resource.",
        [
            .required("entries", .list(.anything), "Entries of HAR 1.2."),
            .required("left", .list(.text), "Why further responses are left out, a clause each."),
        ]
    )

    static let importRequest = NamedSchema(
        "ImportRequest",
        "An entry of a HAR file.",
        of: .exactObject([
            .required("entry", .anything, "An entry of HAR 1.1 or 1.2."),
            .optional(
                "isForeign",
                .boolean,
                "Whether another tool has written the file; such a tool removes content codings. Default false."
            ),
        ])
    )

    static let imported = NamedSchema(
        "Imported",
        "Whether the response is stored.",
        [
            .required("stored", .boolean), .optional("uri", .text, "The resource that has it."),
            .optional("reason", .text, "Why it is not stored, in a word."),
            .optional("detail", .text, "The same in a sentence."),
        ]
    )
}
