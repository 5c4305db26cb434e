/// A listener, service or rule in a listing.
struct ListedTable {
    /// The heading, such as `[[rule]]`.
    let heading: String
    /// The path, such as `rule[0]`.
    let path: String
    /// Its settings as TOML.
    let members: [(name: String, value: String)]

    static func all(_ loaded: LoadedSettings, showsSecrets: Bool) -> [ListedTable] {
        let settings = loaded.values
        var tables = settings.listeners.enumerated().map { index, listener in
            ListedTable("[[listener]]", "listener[\(index)]", ListenerDraft(listener), ListenerDraft.keys)
        }
        for service in settings.services {
            var draft = ServiceDraft(showsSecrets ? service : service.masked)
            draft.rules = []
            let path = "service.\(service.name)"
            tables.append(ListedTable("[\(path)]", path, draft, ServiceDraft.keys))
            for (index, rule) in service.rules.enumerated() {
                tables.append(
                    ListedTable("[[\(path).rule]]", "\(path).rule[\(index)]", rule, RuleSettings.serviceKeys)
                )
            }
        }
        for (index, warm) in settings.warm.enumerated() {
            tables.append(ListedTable("[[warm]]", "warm[\(index)]", WarmDraft(warm), WarmDraft.keys))
        }
        for (index, rule) in settings.rules.enumerated() {
            tables.append(ListedTable("[[rule]]", "rule[\(index)]", rule, RuleSettings.keys))
        }
        return tables
    }

    private init<Root>(_ heading: String, _ path: String, _ root: Root, _ keys: [TableKey<Root>]) {
        self.heading = heading
        self.path = path
        members = keys.compactMap { key in key.format(root).map { (key.name, $0) } }
    }
}

extension ServiceSettings {
    /// This service without the values of its fields, since each may be a credential (H-158).
    var masked: ServiceSettings {
        var service = self
        service.headers = headers.map { field in
            guard case .text = field.value else { return field }
            return ServiceField(name: field.name, value: .text("(secret)"))
        }
        if case .through(let proxy) = proxy { service.proxy = .through(proxy.masked) }
        return service
    }
}
