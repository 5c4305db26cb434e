import HTTPCaching
import HTTPCore
import Proxying
import ResourceCore
import Settings

/// All that is made of settings and can be replaced while the daemon serves; built as a whole before any of it is in force.
struct ServingPlan: Sendable {
    private(set) var loaded: LoadedSettings
    let services: [ServiceRoute]
    private let bases: ServiceBases
    private let rules: [BuiltRule]

    var settings: DaemonSettings { loaded.values }

    /// Reads secret files and makes transformers; blocks.
    init(_ loaded: LoadedSettings, _ surroundings: ProcessSurroundings) throws(SettingsError) {
        self.loaded = loaded
        let fields = try loaded.serviceFields(surroundings)
        services = loaded.values.services.map { service in
            ServiceRoute(
                name: service.name,
                base: service.base,
                injected: (fields[service.name] ?? []).map { (name: Array($0.name.utf8), value: Array($0.value.utf8)) },
                injectsEverywhere: service.inject == .all,
                allowOrigins: service.allowOrigins.map { Array($0.utf8) }
            )
        }
        do throws(ServiceBases.Conflict) {
            bases = try ServiceBases(loaded.values.services.map { ServiceBase(name: $0.name, url: $0.base) })
        } catch {
            throw loaded.error(at: "service", error.userMessage)
        }
        var rules: [BuiltRule] = []
        for placed in loaded.values.placedRules { rules.append(try BuiltRule(placed, loaded)) }
        self.rules = rules
    }

    /// The same with the values of `running` where a change needs a restart.
    func keepingWhatNeedsRestart(of running: ServingPlan) throws(SettingsError) -> ServingPlan {
        var kept = self
        kept.loaded = try loaded.keepingWhatNeedsRestart(of: running.loaded)
        return kept
    }

    /// Services whose fields differ from those of `other`, where settings may be the same.
    func changedSecrets(since other: ServingPlan) -> Set<String> {
        Set(
            services.filter { service in
                guard let before = other.services.first(where: { $0.name == service.name }) else { return true }
                return !before.injected.elementsEqual(service.injected) { $0.name == $1.name && $0.value == $1.value }
            }
            .map(\.name)
        )
    }

    /// Makes `list`, which is empty, that of these settings.
    func configure(_ list: inout ConfigurationList) {
        list.defaults = settings.serviceConfiguration
        list.bases = bases
        list.queryRules = rules.compactMap(\.placed.queryRule)
        if settings.cache.targetedControl == .services {
            for service in settings.services {
                list.configurePart(service.name) { $0.caching.targetedFields = CachingOptions.originTargetedFields }
            }
        }
        for rule in rules { rule.configure(&list, bases: bases) }
    }
}
