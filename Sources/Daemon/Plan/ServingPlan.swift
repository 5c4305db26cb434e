import Configurations
import Eventing
import Exchanges
import HTTPCaching
import HTTPCore
import Logins
import Platform
import Proxying
import Settings
import TransportSecurity
import UpstreamClient

/// Everything made from settings that a reload can replace; it is complete before any part is in force.
struct ServingPlan: Sendable {
    private(set) var loaded: LoadedSettings
    private(set) var services: [ServiceRoute]
    /// TLS to origins.
    private(set) var security: UpstreamSecurity
    /// The parent proxies of targets.
    private(set) var parents: ParentSelection
    /// TLS with clients; nil without a certificate.
    private(set) var clientSecurity: TLSServerContext?
    /// The certificates of intercepted hosts; nil: no host is intercepted.
    private(set) var minting: TLSMintingContext?
    /// The users of listeners that require a login, by the file's name in the settings.
    private(set) var logins: [String: LoginTable]
    private let bases: ServiceBases
    private var rules: [BuiltRule]
    /// The rules of presets for the hosts that their indexes link to.
    private let linkedRules: [BuiltRule]
    /// The policies of services, in their order.
    private var policies: [BuiltPolicies]

    var settings: DaemonSettings { loaded.values }

    /// Warnings about these settings, sorted by place.
    var warnings: [SettingsWarning] {
        loaded.inOrder(
            loaded.warnings + certificateWarnings + cookieWarnings + clientWarnings + loaded.routeWarnings
                + loaded.loginWarnings
                + loaded.patternWarnings
                + settings.services.filter { $0.verify == .off }.map { service in
                    loaded.warning(
                        at: "service.\(service.name).verify",
                        "service \(service.name): certificates are not verified; anybody in between can read and change "
                            + "everything"
                    )
                }
        )
    }

    private var cookieWarnings: [SettingsWarning] {
        guard settings.access.pathCookies == .pass else { return [] }
        return [
            loaded.warning(
                at: "access.path-cookies",
                "access.path-cookies is pass: clients hand the cookies of one origin to every other that is asked for by a "
                    + "path (/https://HOST/, /NAME/); scoped keeps them apart"
            )
        ]
    }

    /// Warnings about settings for connections of clients that have no effect.
    private var clientWarnings: [SettingsWarning] {
        guard !settings.access.trustLoopback, settings.limits.maxConnectionsPerPeer == nil else { return [] }
        return [
            loaded.warning(
                at: "access.trust-loopback",
                "`access.trust-loopback = false` counts loopback's connections, but `limits.max-connections-per-peer` is "
                    + "off: set it to bound them"
            )
        ]
    }

    /// Warnings about certificates that have expired, or will soon.
    private var certificateWarnings: [SettingsWarning] {
        func verb(_ daysLeft: Int) -> String { daysLeft < 0 ? "ended" : "ends" }
        var warnings: [SettingsWarning] = []
        if let end = clientSecurity?.end, end.daysLeft < 14 {
            warnings.append(
                loaded.warning(
                    at: "tls.certificate-file",
                    "the certificate in `tls.certificate-file` \(verb(end.daysLeft)) on \(end.date); "
                        + "replace the file and send SIGHUP"
                )
            )
        }
        if let ca = minting?.mint.authority.certificate, ca.daysLeft(at: HTTPDate.now) < 14 {
            warnings.append(
                loaded.warning(
                    at: "intercept.hosts",
                    "the CA for `intercept.hosts` \(verb(ca.daysLeft(at: HTTPDate.now))) on \(ca.ends.day), from when on "
                        + "these hosts get blind tunnels; `respite ca create --force` makes another one, which clients "
                        + "have to trust, then send SIGHUP"
                )
            )
        }
        return warnings + authorityWarnings
    }

    /// Warnings about a CA that is valid for more hosts than it needs to be, or for fewer.
    private var authorityWarnings: [SettingsWarning] {
        guard let ca = minting?.mint.authority.certificate else { return [] }
        let remedy =
            "`respite ca create --force --for HOST…` makes one for the hosts you name, which clients have to trust, then "
            + "send SIGHUP"
        guard let constraints = ca.constraints, constraints.limitsNames else {
            return [
                loaded.warning(
                    at: "intercept.hosts",
                    "the CA for `intercept.hosts` is good for every host, so that who gets its key can pass for any site; "
                        + remedy
                )
            ]
        }
        return settings.intercept.hosts.filter { !constraints.cover($0) }.map { pattern in
            loaded.warning(
                at: "intercept.hosts",
                "`intercept.hosts` names \(pattern.text), but the CA is good for "
                    + "\(constraints.texts.joined(separator: ", ")) alone: others get blind tunnels; " + remedy
            )
        }
    }

    /// The fields that services add to requests on every route.
    var injection: ServiceInjection {
        ServiceInjection(
            services,
            credentialFields: settings.serviceConfiguration.caching.credentials,
            gateway: settings.gatewayBase
        )
    }

    /// Reads secrets and certificates, and makes transformers; blocks.
    ///
    /// - Parameter linkedHosts: the hosts that pages of package indexes have linked to.
    /// - Throws: all mistakes that it finds, as one error.
    init(
        _ loaded: LoadedSettings,
        _ context: ProcessContext,
        _ linkedHosts: LinkedHosts = LinkedHosts()
    ) throws(SettingsError) {
        var (loaded, mistakes) = (loaded, SettingsMistakes())
        loaded.readHostLists(context, &mistakes)
        self.loaded = loaded
        for warm in loaded.values.warm {
            _ = mistakes.attempt { () throws(SettingsError) in try loaded.urls(of: warm, context) }
        }
        let fields = loaded.serviceFields(context, &mistakes)
        let secrets = loaded.tokenSecrets(context, &mistakes)
        logins = loaded.logins(context, &mistakes)
        bases = Self.bases(loaded, &mistakes)
        let readSecurity = mistakes.attempt { () throws(SettingsError) in try UpstreamSecurity(loaded, context) }
        let readParents = mistakes.attempt { () throws(SettingsError) in try ParentSelection(loaded, context) }
        (rules, linkedRules) = Self.builtRules(loaded, linkedHosts, &mistakes)
        clientSecurity =
            mistakes.attempt { () throws(SettingsError) in try TLSServerContext.make(loaded, context) } ?? nil
        minting =
            mistakes.attempt { () throws(SettingsError) in try TLSMintingContext.forInterception(loaded, context) }
            ?? nil
        try mistakes.check(loaded.sources)
        guard let security = readSecurity, let parents = readParents else {
            throw loaded.error(at: "", "the files that these settings name cannot be read")
        }
        self.security = security
        self.parents = parents
        services = loaded.values.services.map { [bases] service in
            ServiceRoute(
                name: service.name,
                base: service.base,
                injected: (fields[service.name] ?? []).map { (name: Array($0.name.utf8), value: Array($0.value.utf8)) },
                credential: service.token.flatMap { token in
                    secrets[service.name].map { secrets in
                        // The endpoint may be below another service's base; then that service's TLS and proxy settings
                        // apply.
                        let owner = bases.owner(of: token.url).map(\.name)
                        return TokenSource(
                            token,
                            secrets,
                            service: service.name,
                            security: owner.flatMap { security.named[$0] == nil ? nil : $0 },
                            proxy: owner.flatMap { parents.named[$0] == nil ? nil : $0 }
                        )
                    }
                },
                identity: service.clientCertificate.map { _ in service.name },
                identityMark: security.identities[service.name]?.certificateFingerprint ?? [],
                injectsEverywhere: service.inject == .all,
                allowOrigins: service.allowOrigins.map { Array($0.utf8) }
            )
        }
        policies = loaded.values.services.map { BuiltPolicies($0.retry, $0.rateLimit, name: "service \($0.name)") }
    }

    /// The bases of services; each service that claims what another one has is a mistake.
    private static func bases(_ loaded: LoadedSettings, _ mistakes: inout SettingsMistakes) -> ServiceBases {
        let all = loaded.values.services.map { ServiceBase(name: $0.name, url: $0.base) }
        if let bases = try? ServiceBases(all) { return bases }
        var accepted: [ServiceBase] = []
        for base in all {
            do throws(ServiceBases.Conflict) {
                _ = try ServiceBases(accepted + [base])
                accepted.append(base)
            } catch {
                mistakes.add(loaded.error(at: "service.\(base.name).base", error.userMessage))
            }
        }
        return ServiceBases()
    }

    /// The rules in their order, and those of presets for hosts that their indexes link to.
    private static func builtRules(
        _ loaded: LoadedSettings,
        _ linkedHosts: LinkedHosts,
        _ mistakes: inout SettingsMistakes
    ) -> (rules: [BuiltRule], linked: [BuiltRule]) {
        var (rules, linkedRules): ([BuiltRule], [BuiltRule]) = ([], [])
        let presets = loaded.presets.map { LinkedRules($0, linkedHosts) }
        for (index, located) in loaded.values.locatedRules.enumerated() {
            let preset = loaded.presets.firstIndex { $0.rules.contains(index) }
            mistakes.attempt { () throws(SettingsError) in
                rules.append(try BuiltRule(located, loaded, pages: preset.map { presets[$0] }))
            }
        }
        for (loadedPreset, linked) in zip(loaded.presets, presets) {
            for rule in loadedPreset.linkedRules {
                guard let located = LocatedRule(linked: rule.settings, path: "rule[\(rule.index)]") else { continue }
                mistakes.attempt { () throws(SettingsError) in
                    linkedRules.append(try BuiltRule(located, loaded, linked: linked))
                }
            }
        }
        return (rules, linkedRules)
    }

    /// This plan, with the values of `running` for settings whose change needs a restart.
    func keepingWhatNeedsRestart(of running: ServingPlan) throws(SettingsError) -> ServingPlan {
        var kept = self
        kept.loaded = try loaded.keepingWhatNeedsRestart(of: running.loaded)
        kept.adopt(running)
        return kept
    }

    /// Does work that the first request would wait for; blocks.
    func prepare() { security.prepare() }

    /// Keeps tokens, counts of requests and TLS contexts of an earlier plan, if their settings are the same.
    private mutating func adopt(_ earlier: ServingPlan) {
        // As long as the CA is the same, certificates of hosts and TLS sessions stay valid.
        if let before = earlier.minting, before.isOf(minting) { minting = before }
        security.adopt(earlier.security)
        // The earlier table remembers the logins that were right, so they need not be checked again. It also stays for
        // a listener that keeps its old settings until a restart: the new ones may not name its file.
        for (name, table) in earlier.logins where logins[name]?.hasSameUsers(as: table) ?? true { logins[name] = table }
        for index in services.indices {
            let name = services[index].name
            guard let before = earlier.services.firstIndex(where: { $0.name == name }) else { continue }
            policies[index].adopt(earlier.policies[before])
            if Self.areEqual(services[index].credential, earlier.services[before].credential) {
                services[index].credential = earlier.services[before].credential
            }
        }
        for index in rules.indices {
            let path = rules[index].located.path
            if let before = earlier.rules.first(where: { $0.located.path == path }) { rules[index].adopt(before) }
        }
    }

    /// Whether both get the same tokens.
    private static func areEqual(_ one: (any CredentialSource)?, _ other: (any CredentialSource)?) -> Bool {
        guard let one = one as? TokenSource, let other = other as? TokenSource else {
            return one == nil && other == nil
        }
        return one.request == other.request
    }

    /// Services whose secrets differ from those of `other`, even if the settings are the same.
    func changedSecrets(since other: ServingPlan) -> Set<String> {
        Set(
            services.filter { service in
                guard let before = other.services.first(where: { $0.name == service.name }) else { return true }
                return !before.injected.elementsEqual(service.injected) { $0.name == $1.name && $0.value == $1.value }
                    || !Self.areEqual(before.credential, service.credential)
                    || before.identityMark != service.identityMark
            }
            .map(\.name)
        )
    }

    /// The login files whose users differ from those of `other`, even if the settings are the same.
    func changedLogins(since other: ServingPlan) -> [SettingChange] {
        logins.keys.sorted().compactMap { name in
            guard let before = other.logins[name], before !== logins[name] else { return nil }
            return SettingChange(name: "login-file", old: name, new: name, needsRestart: false)
        }
    }

    /// Fills an empty `list` from these settings.
    ///
    /// - Parameter modes: read when a configuration is made, so that a mode changes without a new plan.
    func configure(_ list: inout ConfigurationList, _ modes: ModeRegistry) {
        list.defaults = settings.serviceConfiguration
        list.defaults.mode = modes.general
        list.bases = bases
        list.actsOnRequests = (rules + linkedRules).contains(where: \.actsOnRequests)
        list.queryRules = rules.compactMap(\.located.queryRule)
        if settings.cache.targetedControl == .services {
            for service in settings.services {
                list.configurePart(service.name) { $0.caching.targetedFields = CachingOptions.originTargetedFields }
            }
        }
        for rule in linkedRules { rule.configure(&list, bases: bases) }
        for rule in rules where rule.located.service == nil { rule.configure(&list, bases: bases) }
        for (service, policies) in zip(settings.services, policies) {
            list.configurePart(service.name) { [name = service.name] values in
                policies.apply(to: &values.policies)
                if let mode = modes.mode(of: name) { values.mode = mode }
                if service.verify == .off { values.policies.security = service.name }
                if service.proxy != nil { values.policies.proxy = service.name }
            }
        }
        for rule in rules where rule.located.service != nil { rule.configure(&list, bases: bases) }
    }
}
