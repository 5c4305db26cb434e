/// The commands about the server that several machines share.
extension CommandSpecification {
    static let sharedCheck = CommandSpecification(
        name: "shared check",
        summary:
            "Tries the server that [shared] names: address, TLS, login, version, cluster, rights, memory, round trips.",
        options: [
            CommandOption("config", value: "FILE", "the settings file"),
            CommandOption("set", value: "KEY=VALUE", repeats: true, "any setting"), json,
        ],
        operands: .none
    )
}
