import Settings

/// The files by which programs trust our CA beside all that the system trusts.
enum OwnTrust {
    /// Nil if there is no CA.
    static func files(_ command: ParsedCommand) throws(CommandFailure) -> ClientVariables.Trust? { nil }
}
