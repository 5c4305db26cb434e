import Exchanges
import HTTPCaching
import HTTPCore
import ResourceDoubles
import Stores
import TestDoubles
import Transforms

@testable import ResourceCore
@testable import SharedStorage

extension LoadFacts {
    /// Those of a GET with these fields.
    static func test(
        _ fields: [(String, String)] = [],
        uri: String = "http://a.example/x?y",
        partitions: Partitions = Partitions()
    ) throws -> LoadFacts {
        var list = Fields()
        for (name, value) in fields { list.append(name: Array(name.utf8), value: Array(value.utf8)) }
        let provider = ScriptedProvider(context: ManualContext())
        let profile = RequestProfile(method: .get, fields: list, credentialFields: CredentialFields())
        let request = ClientRequest(
            uri: try TargetURI(parsing: uri),
            fields: list,
            profile: profile,
            partitions: partitions,
            arrival: MonotonicTime(nanoseconds: 0),
            provider: provider
        )
        let environment = CoreEnvironment(timekeeper: ManualTimekeeper(), hasher: PlainHasher())
        return LoadFacts(request: request, effective: .defaults, environment: environment)
    }
}

extension SharedLoad {
    /// The load of a GET with these fields; nil if the tier leaves it alone.
    static func test(
        _ fields: [(String, String)] = [],
        uri: String = "http://a.example/x?y",
        partitions: Partitions = Partitions(),
        sharesPrivate: Bool = false
    ) throws -> SharedLoad? {
        SharedLoad(try LoadFacts.test(fields, uri: uri, partitions: partitions), sharesPrivate: sharesPrivate)
    }
}
