/// The commands that copy what is stored to HAR files, and back.
extension CommandSpecification {
    static let export = client(
        "export",
        "Writes stored responses as a HAR file, all or by a filter as of ls: those for all clients, without credentials.",
        [
            CommandOption("har", value: "FILE", "the file, replaced once all is written; - is standard output"),
            CommandOption("private", "also what is for the clients of one credential; such entries are not imported"),
        ],
        .optional("FILTER"),
        hasJSON: false
    )

    static let archiveImport = client(
        "import",
        "Stores the responses of a HAR file for all clients, as if their origins had sent them; - is standard input.",
        [],
        .one("FILE"),
        hasJSON: false
    )
}
