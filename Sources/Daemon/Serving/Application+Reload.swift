import Administration
import Eventing
import Formats
import HTTPCore
import Locking
import Observability
import Platform
import Proxying
import ResourceCore
import Settings

extension Application: ReloadTarget {
    /// Reloads the settings, as SIGHUP and the admin API request.
    ///
    /// - Parameter completion: gets the result, unless the daemon stops before.
    func reload(_ completion: @escaping @Sendable (ReloadResponse) -> Void = { _ in }) {
        guard isRunning else { return completion(.unavailable(detail: "the daemon is stopping")) }
        let isTaken = reloader.reload(self) { completion(ReloadResponse($0)) }
        if !isTaken { completion(.unavailable(detail: "too many requests wait for a reload already")) }
    }

    /// Opens the file of the access log again, as SIGUSR2 requests.
    func reopenAccessLog() {
        let isTaken = reloader.run { [self] in
            // By the settings in force, not those in the files.
            putInForce(optionsMaker.options(for: reloader.current))
            guard accessLogging.fault == nil else { return }
            log.info("access log reopened", ["file": reloader.current.settings.log.accessFile ?? "standard error"])
        }
        if !isTaken { log.warning("access log not reopened: reloads are under way; send SIGUSR2 again") }
    }

    func reloadBegins() { manager.isReloading() }

    /// Changes what all loops share, then each loop changes its own part.
    func apply(_ plan: ServingPlan, _ report: ReloadReport, _ done: @escaping @Sendable () -> Void) {
        let new = optionsMaker.options(for: plan)
        log.level = plan.settings.log.level
        log.format = plan.settings.log.format
        log.waitingLimit = plan.settings.log.queueSize.bytes
        shared.apply(plan, new)
        optionsMaker.telemetry.apply(plan, policy: new.proxy.addressPolicy, resolver: shared.resolver)
        administration.reload(plan.settings)
        warming.apply(plan.settings.warm)
        putInForce(new, administration.options(plan.settings), renewsConnections: report.concernsOrigins, done)
    }

    /// Gives each loop its options, then closes the files of the access log that none uses any more.
    private func putInForce(
        _ new: ServingOptions,
        _ adminOptions: AdminOptions? = nil,
        renewsConnections: Bool = false,
        _ done: @escaping @Sendable () -> Void = {}
    ) {
        let all = serving.withLock { $0.replaceOptions(new) }
        let applied = Countdown(all.count) { [accessLogging] in
            // On its own thread: a slow disk or reader may take seconds. Without a thread, the next reload does it.
            if accessLogging.hasRetired { _ = try? Thread(name: "log") { accessLogging.closeRetired() } }
            done()
        }
        for bound in all {
            bound.submit { services in
                services.apply(new, renewsConnections: renewsConnections)
                if let adminOptions { services.applyToAdministration(adminOptions) }
                applied.arrive()
            }
        }
    }

    func reloadEnds(_ outcome: Reloader.Outcome) {
        switch outcome {
        case .success(let report):
            log.info("settings reloaded", ["changed": report.inForce.joined(separator: ",")])
            logWarnings(reloader.current)
            if !report.afterRestart.isEmpty {
                log.warning(
                    "some changed settings take effect at the next start",
                    ["settings": report.afterRestart.joined(separator: ",")]
                )
            }
        case .failure(let error):
            for mistake in error.mistakes {
                log.error("settings not reloaded; the old ones stay in force", ["reason": mistake.summary])
            }
        }
        manager.isReady(status: status)
    }

    /// Puts rules in force for hosts that pages have linked to for the first time, and saves these hosts; blocks.
    func adoptLinkedHosts() {
        // Saves first: for a host that comes later, `whenChanged` then calls again.
        linkedHosts.save()
        let plan = reloader.current
        shared.service.reconfigure { [modes = shared.modes] in plan.configure(&$0, modes) }
    }

    /// The settings in force, for the admin API.
    var configurationSource: ConfigurationSource {
        ConfigurationSource(
            write: { [self] url, method, writer in
                let loaded = reloader.current.loaded
                if let url {
                    EffectiveSettings(loaded, url: url, method: method).write(to: &writer)
                } else {
                    writer.name("settings")
                    SettingsDocument.writeListing(loaded, showsSecrets: false, to: &writer)
                }
            },
            reload: { [self] completion in reload(completion) }
        )
    }
}
