import Configurations
import Eventing
import Exchanges
import HTTPCaching
import HTTPCore
import HTTPServer
import Proxying
import Settings
import Transforms
import UpstreamClient

extension DaemonSettings {
    var serverLimits: ServerLimits {
        var server = ServerLimits()
        server.headerTimeout = limits.headerTimeout
        server.bodyTimeout = limits.bodyTimeout
        server.idleTimeout = limits.idleTimeout
        server.sendTimeout = limits.sendTimeout
        server.parser = requestLimits
        server.pipelineDepth = limits.pipelineDepth
        server.pipelineBytes = limits.pipelineSize.bytes
        server.unsentPerExchange = limits.unsentPerExchange.bytes
        server.unfinishedHeads = limits.unfinishedHeads.bytes
        server.maxConnections = limits.maxConnections
        server.maxConnectionsPerPeer = limits.maxConnectionsPerPeer
        server.countsLoopbackPeers = !access.trustLoopback
        server.halfCloseTime = limits.halfClose
        return server
    }

    private var requestLimits: ParserLimits {
        var parser = bodyLimits
        parser.method = limits.methodLength
        parser.requestTarget = limits.requestTarget.bytes
        parser.headerSection = limits.headerSection.bytes
        parser.headerFields = limits.headerFields
        parser.emptyLines = limits.emptyLines
        parser.content = limits.requestBody.map { Int64($0.bytes) }
        return parser
    }

    private var bodyLimits: ParserLimits {
        var parser = ParserLimits()
        parser.chunkExtensionLine = limits.chunkExtensionLine.bytes
        parser.chunkExtensions = limits.chunkExtensions.bytes
        parser.trailerSection = limits.trailerSection.bytes
        parser.trailerFields = limits.trailerFields
        return parser
    }

    var upstreamLimits: UpstreamLimits {
        var client = UpstreamLimits()
        client.connectTimeout = upstream.connectTimeout
        client.firstByteTimeout = upstream.firstByteTimeout
        client.idleTimeout = upstream.idleTimeout
        client.minimumRate = upstream.minimumRate?.bytes ?? 0
        client.eventStreamIdleTimeout = tunnel.idleTimeout
        client.keepAliveTimeout = upstream.keepAliveTimeout
        client.continueTimeout = limits.continueTimeout
        client.connectionsPerOrigin = upstream.connectionsPerOrigin
        client.queuePerOrigin = upstream.queuePerOrigin
        client.parser = bodyLimits
        client.parser.headerSection = limits.responseHeaderSection.bytes
        client.parser.headerFields = limits.responseHeaderFields
        client.interimResponses = limits.interimResponses
        client.unsentContent = limits.unsentPerExchange.bytes
        return client
    }

    var circuitBreakerOptions: CircuitBreakers.Options {
        var options = CircuitBreakers.Options()
        options.isEnabled = upstream.circuitBreaker
        options.maximumSpacing = upstream.retryTimeMax
        options.spacing = upstream.retryTime > .zero ? upstream.retryTime : min(.seconds(1), upstream.retryTimeMax)
        return options
    }

    var serviceConfiguration: Configuration {
        var service = Configuration()
        service.expirationTime = cache.expirationTime
        service.retryTime = upstream.retryTime
        service.caching = cachingOptions
        service.mode = mode.serviceMode
        service.policies.retryAfterLimit = upstream.retryAfterMax
        service.variantLimit = cache.variantsPerResource
        service.questionLimit = cache.questionsPerResource
        service.hitForMissTime = cache.hitForMiss
        service.transformLimits = transformLimits
        service.waiterLimit = limits.waitersPerLoad
        switch cache.fillPolicy {
        case .auto:
            service.fillRemainder = Int64(cache.fillRemainder.bytes)
            service.fillPercent = Int64(cache.fillFraction * 100)
        case .finish:
            service.fillPercent = 0
            service.fillTime = .seconds(86_400)
        case .abandon:
            service.fillRemainder = -1
            service.fillPercent = 101
        }
        return service
    }

    private var transformLimits: TransformLimits {
        var transform = TransformLimits()
        transform.wholeContent = limits.maxTransformSize.bytes
        transform.decodedContent = limits.decodedSize.map { Int64($0.bytes) } ?? 0
        transform.ratio = limits.decodedRatio
        transform.codings = limits.contentCodings
        transform.jsonDepth = limits.transformJSONDepth
        transform.time = limits.transformTime
        return transform
    }

    private var cachingOptions: CachingOptions {
        var caching = CachingOptions()
        caching.heuristicFraction = cache.heuristicFraction
        caching.heuristicLimitSeconds = cache.heuristicLimit.components.seconds
        caching.credentials = credentialFields
        caching.isLoopbackListener = listensLocally
        caching.cookies =
            switch cache.cookies {
            case .byRoute: .byRoute
            case .share: .share
            case .partition: .partition
            }
        caching.staleIfErrorSeconds = cache.staleIfError.components.seconds
        caching.varyNameLimit = cache.varyNames
        caching.rangeLimit = limits.ranges
        let worksForOrigin =
            switch cache.targetedControl {
            case .services: gateway != nil
            case .all: true
            case .off: false
            }
        caching.targetedFields = worksForOrigin ? CachingOptions.originTargetedFields : CachingOptions.ownTargetedFields
        return caching
    }

    private var credentialFields: CredentialFields { CredentialFields(names: credentialNames) }

    /// The fields that are treated as credentials: the fields of the setting, and fields that services add (H-158).
    ///
    /// Standard fields such as Accept are not credentials: otherwise clients that send them would share no responses.
    var credentialNames: [[UInt8]] {
        let injected = services.flatMap(\.headers).map { Array($0.name.lowercased().utf8) }
        return cache.credentialFields.map { Array($0.utf8) } + injected.filter { KnownField(name: $0) == nil }
    }

    /// The origin of a reverse proxy.
    var gatewayBase: GatewayBase? {
        gateway.flatMap { try? TargetURI(parsing: $0.description) }.map { GatewayBase($0) }
    }

    /// The addresses that connections may reach, by settings such as `access.destinations`; never our own `sockets`.
    func addressPolicy(_ sockets: BoundSockets) -> AddressPolicy {
        var policy = AddressPolicy(
            allowsLoopback: mayReachLoopback,
            allowsPrivate: mayReachPrivateNetworks,
            blockedPorts: Set(access.blockedPorts),
            listeners: OwnListeners(proxy: sockets.proxyAddresses, administration: sockets.adminAddresses)
        )
        policy.rebinding = rebinding
        return policy
    }

    /// The responders' options that are the same for all listeners; `instance` identifies this process.
    func proxyOptions(_ sockets: BoundSockets, instance: [UInt8]) -> ProxyOptions {
        // An IPv6 address may be written in several ways.
        func isHostPattern(_ host: String) -> Bool { host.contains("*") || host.hasPrefix("[") }
        var options = ProxyOptions(via: Via(instance: instance), addressPolicy: addressPolicy(sockets))
        options.listsClients = access.listsClients
        options.mayCommand = { [clients = access.commandClients] peer in
            guard let address = peer.ipAddress else { return false }
            return clients.contains { $0.contains(address) }
        }
        options.allowsOpenProxy = access.allowOpenProxy
        options.adminURL = sockets.adminAddresses.first { $0.ipAddress?.isLoopback == true }.map { "http://\($0)/" }
        options.pathCookies =
            switch access.pathCookies {
            case .byListener: nil
            case .scoped: .scoped
            case .drop: .drop
            case .pass: .pass
            }
        let names = access.ownNames.filter { !$0.hasEveryHost }
        options.ownNames = names.flatMap(\.hosts).filter { !isHostPattern($0) }.map { Array($0.utf8) }
        options.ownNamePatterns = names.filter { $0.hosts.contains(where: isHostPattern) }
        options.passesClientHost = gatewayHost == .client
        options.connectTimeout = upstream.connectTimeout
        options.connectPorts = access.connectPorts
        options.handshakeTime = limits.headerTimeout
        options.blockedPorts = Set(access.blockedPorts)
        options.tunnelIdleTimeout = tunnel.idleTimeout
        options.tunnelLifetime = tunnel.lifetime
        options.allowsWebSocket = tunnel.websocket
        options.credentialFields = credentialFields
        options.questions.contentLimit = limits.keyBody.bytes
        options.questions.memory = QuestionMemory(limit: limits.keyBodyMemory.bytes)
        options.script.direct = pac.direct.map(\.directHosts)
        options.script.allowsFallback = pac.fallbackDirect
        return options
    }

    var resolverOptions: NameResolver.Options {
        var options = NameResolver.Options()
        options.overrides = hosts
        options.kind = dns.resolver == .system ? .system : .builtIn
        options.servers = dns.servers.map { .ip($0.address, port: $0.port) }
        return options
    }
}

extension NoProxyPattern {
    /// How the script for browsers (PAC) routes these hosts.
    fileprivate var directHosts: DirectHosts {
        switch self {
        case .everything: .everything
        case .name(let name): .name(name)
        case .below(let name): .below(name)
        case .range(let range): .range(range.base, bits: range.prefixLength)
        }
    }
}
