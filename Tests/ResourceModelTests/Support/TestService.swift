import ResourceDoubles
import HTTPCore
import TestDoubles

@testable import ResourceCore
@testable import ResourceModel

/// What a service of a program needs, without a network.
enum TestService {
    static func service(_ base: String? = "https://h.example/v1", limit: Int = 2048) -> Service {
        Service(
            name: "api",
            baseURL: base?.targetURI,
            table: ResourceTable(environment: environment, shardCount: 4, countLimit: limit)
        )
    }

    static var environment: CoreEnvironment {
        CoreEnvironment(timekeeper: ManualTimekeeper(), hasher: PlainHasher())
    }

    static func uri(_ text: String) throws -> TargetURI { try TargetURI(parsing: text) }
}

extension Resource {
    /// Whether anything could ever be loaded.
    var isFailing: Bool { !hasURL }
}
