// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// Settings of every Swift target of the package.
///
/// Why MemberImportVisibility is none of them: docs/decisions/0067.
let common: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// Settings of the targets in `Sources`: every unsafe use is marked, and stands in an `Unsafe` folder.
let safe = common + [.strictMemorySafety()]

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: safe)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: common)
}

func system(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Tests/Fuzz/\(name)", swiftSettings: common)
}

let package = Package(
    name: "respite",
    products: [
        .executable(name: "respite", targets: ["respite"]),
        .library(name: "Respite", targets: ["Respite"]),
        .library(name: "RespiteFoundation", targets: ["RespiteFoundation"]),
        .library(name: "ResourceModel", targets: ["ResourceModel"]),
    ],
    targets: [
        // System libraries: a module map and a shim each, nothing else.
        system("CLibevent", pkgConfig: "libevent_core", apt: "libevent-dev"),
        system("CCares", pkgConfig: "libcares", apt: "libc-ares-dev"),
        system("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
        system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        system("CXXHash", pkgConfig: "libxxhash", apt: "libxxhash-dev"),
        system("CJansson", pkgConfig: "jansson", apt: "libjansson-dev"),
        system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        system("CCrypt", pkgConfig: "libcrypt", apt: "libcrypt-dev"),
        system("CBrotli", pkgConfig: "libbrotlienc", apt: "libbrotli-dev"),
        system("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev"),
        // Without pkg-config, which names a flag that the package manager refuses.
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
        .systemLibrary(name: "CLinux"),
        .target(name: "CRE2", linkerSettings: [.linkedLibrary("re2")]),
        .target(name: "CDashboard", exclude: ["Pages"]),
        .target(name: "CToml", cxxSettings: [.define("TOML_ENABLE_FORMATTERS", to: "0")]),

        // The model and the protocol: no I/O.
        library("LibC", []),
        library("Locking", ["LibC"]),
        library("Platform", ["LibC", "CLinux", "Locking"]),
        library("HTTPCore", []),
        library("HTTPCaching", ["HTTPCore"]),
        library("Formats", ["LibC", "HTTPCore"]),
        library("Exchanges", ["HTTPCore", "Locking", "Platform"]),
        library("Transforms", ["HTTPCore", "Exchanges", "Locking"]),
        library("Stores", ["HTTPCore", "HTTPCaching", "Transforms"]),
        library(
            "Configurations",
            ["HTTPCore", "HTTPCaching", "Exchanges", "Stores", "Transforms", "Locking"]
        ),
        library("Outcomes", ["HTTPCore", "HTTPCaching", "Configurations", "Exchanges", "Transforms"]),
        library(
            "ResourceCore",
            [
                "HTTPCore", "HTTPCaching", "Configurations", "Exchanges", "Outcomes", "Stores", "Transforms", "Locking",
            ]
        ),
        library(
            "Explaining",
            ["HTTPCore", "HTTPCaching", "Configurations", "Exchanges", "Outcomes", "ResourceCore", "Stores"]
        ),

        // Around it.
        library("Observability", ["LibC", "CLinux", "Formats", "HTTPCore", "Locking", "Platform"]),
        library("Logins", ["LibC", "CCrypt", "COpenSSL", "HTTPCore", "Locking"]),
        library("TOML", ["CToml"]),
        library("HostLists", ["LibC", "HTTPCore", "Platform"]),
        library("CommandSyntax", []),
        library("JSON", ["CJansson", "CommandSyntax", "Formats"]),
        library(
            "Settings",
            [
                "LibC", "TOML", "CommandSyntax", "Formats", "HostLists", "HTTPCore", "Observability",
                "Platform",
            ]
        ),
        library("TransportSecurity", ["LibC", "COpenSSL", "HTTPCore", "Locking", "Platform"]),
        library(
            "Eventing",
            ["LibC", "CLibevent", "CCares", "CLinux", "HTTPCore", "Locking", "Platform", "TransportSecurity"]
        ),
        library("RecordFormat", ["CXXHash", "CZstd", "HTTPCore"]),
        library(
            "EntityStorage",
            [
                "LibC", "CSQLite", "COpenSSL", "CLinux", "HTTPCore", "HTTPCaching", "RecordFormat",
                "Stores", "Transforms", "Locking", "Platform",
            ]
        ),
        library("Transformers", ["HTTPCore", "Formats", "Transforms", "CRE2", "CZlib", "CBrotli", "CZstd"]),
        library(
            "UpstreamClient",
            ["HTTPCore", "Exchanges", "Eventing", "Locking", "TransportSecurity"]
        ),
        library(
            "SharedStorage",
            [
                "CHiredis", "HTTPCore", "HTTPCaching", "Exchanges", "RecordFormat", "ResourceCore", "Stores",
                "Transforms", "Eventing", "Locking", "TransportSecurity",
            ]
        ),
        library("HTTPServer", ["HTTPCore", "Eventing", "TransportSecurity", "Locking"]),
        library(
            "Proxying",
            [
                "HTTPCore", "HTTPCaching", "Exchanges", "ResourceCore", "Configurations", "Outcomes", "Stores",
                "Transforms", "HTTPServer", "Eventing", "TransportSecurity", "Locking", "Logins", "Observability",
            ]
        ),
        library(
            "Administration",
            [
                "CDashboard", "Cassettes", "HTTPCore", "HTTPCaching", "Exchanges", "Explaining", "Formats",
                "ResourceCore", "Configurations", "Outcomes", "Stores", "Transforms", "HTTPServer", "Eventing",
                "Locking", "Observability", "Platform", "Settings", "JSON",
            ]
        ),
        library(
            "Daemon",
            [
                "LibC", "HTTPCore", "HTTPCaching", "Exchanges", "Formats", "ResourceCore", "Configurations", "Stores",
                "Transforms", "EntityStorage", "SharedStorage", "UpstreamClient", "HTTPServer", "Proxying",
                "Administration", "Recording", "Transformers", "Eventing", "TransportSecurity", "Locking", "Logins",
                "Observability", "Platform", "CommandSyntax", "Settings", "JSON",
            ]
        ),
        library(
            "Recording",
            [
                "Cassettes", "Exchanges", "Formats", "HTTPCore", "Locking", "Platform", "Settings", "JSON",
            ]
        ),
        library(
            "Cassettes",
            [
                "HTTPCore", "Formats", "Observability", "Platform", "Settings", "JSON", "Transformers",
            ]
        ),
        library("CommandTexts", ["CommandSyntax", "Platform", "Settings"]),
        library("Terminal", ["LibC", "CommandTexts", "Platform"]),
        library(
            "Commands",
            [
                "LibC", "HTTPCore", "Cassettes", "Formats", "Eventing", "Logins", "Recording", "TransportSecurity",
                "Platform", "CommandSyntax", "CommandTexts", "Settings", "JSON", "Terminal",
            ]
        ),
        .executableTarget(
            name: "respite",
            dependencies: ["LibC", "Commands", "Daemon", "Platform", "Settings", "SharedStorage"],
            path: "Sources/RespiteCommand",
            swiftSettings: safe
        ),

        // For programs; the daemon links none of these.
        library(
            "ResourceModel",
            [
                "HTTPCore", "HTTPCaching", "Exchanges", "Formats", "ResourceCore", "Configurations", "Outcomes",
                "Stores", "Transforms", "Locking", "Platform",
            ]
        ),
        library(
            "Respite",
            [
                "HTTPCore", "Exchanges", "Formats", "ResourceCore", "ResourceModel", "Transforms", "UpstreamClient",
                "EntityStorage", "Transformers",
                "Eventing", "TransportSecurity", "Locking", "Platform",
            ]
        ),
        library(
            "RespiteFoundation",
            ["HTTPCore", "Exchanges", "Formats", "ResourceCore", "ResourceModel", "Transforms", "Locking"]
        ),

        // Tests, one target per target.
        tests("LockingTests", ["Locking"]),
        tests("PlatformTests", ["Platform", "Locking", "TestSupport"]),
        tests("HTTPCoreTests", ["HTTPCore", "DifferentialRuns", "TestSupport"]),
        tests("HTTPCachingTests", ["HTTPCaching", "HTTPCore"]),
        tests("FormatsTests", ["Formats", "TestSupport"]),
        tests("TransformsTests", ["Transforms", "Exchanges", "HTTPCore", "Locking", "TestDoubles", "CLinux"]),
        tests(
            "ExchangesTests",
            [
                "Exchanges", "HTTPCore", "Locking", "ResourceCore", "Configurations", "ResourceModel",
                "ResourceDoubles", "TestDoubles",
            ]
        ),
        tests("StoresTests", ["HTTPCaching", "HTTPCore", "ResourceDoubles", "Stores"]),
        tests(
            "ConfigurationsTests",
            [
                "Configurations", "HTTPCaching", "HTTPCore", "ResourceCore", "Stores", "ResourceDoubles",
                "ResourceModel", "TestDoubles",
            ]
        ),
        tests("OutcomesTests", ["Configurations", "Exchanges", "HTTPCore", "Outcomes"]),
        tests(
            "ResourceCoreTests",
            [
                "Exchanges", "Explaining", "ResourceCore", "Configurations", "Outcomes", "Stores", "ResourceModel",
                "Transforms", "HTTPCaching", "HTTPCore", "Locking", "TestSupport", "TestDoubles", "ResourceDoubles",
            ]
        ),
        tests(
            "ExplainingTests",
            [
                "Explaining", "Exchanges", "ResourceCore", "Configurations", "HTTPCaching", "HTTPCore", "TestDoubles",
                "ResourceDoubles",
            ]
        ),
        tests(
            "ResourceModelTests",
            [
                "Exchanges", "Formats", "ResourceCore", "Configurations", "Outcomes", "Stores", "ResourceModel",
                "Transforms", "HTTPCaching", "HTTPCore", "Locking", "Platform", "TestSupport", "TestDoubles",
                "ResourceDoubles",
            ]
        ),
        tests("ObservabilityTests", ["Observability", "HTTPCore", "Locking", "Platform", "TestSupport"]),
        tests("CommandSyntaxTests", ["CommandSyntax"]),
        tests("JSONTests", ["JSON", "Formats"]),
        tests("TOMLTests", ["TOML"]),
        tests("LoginsTests", ["Logins", "HTTPCore", "Locking", "TestSupport"]),
        tests("HostListsTests", ["HostLists", "HTTPCore", "Platform", "TestSupport"]),
        tests(
            "SettingsTests",
            [
                "CommandSyntax", "Settings", "JSON", "TOML", "Formats", "HostLists", "HTTPCore", "Observability",
                "Platform", "TestSupport",
            ]
        ),
        tests("TransportSecurityTests", ["TransportSecurity", "HTTPCore", "Platform", "TestSupport"]),
        tests(
            "EventingTests",
            ["Eventing", "HTTPCore", "Locking", "Platform", "CLinux", "TransportSecurity", "TestSupport"]
        ),
        tests("RecordFormatTests", ["RecordFormat", "HTTPCore"]),
        tests(
            "EntityStorageTests",
            [
                "EntityStorage", "Exchanges", "RecordFormat", "ResourceCore", "Stores", "Transforms", "HTTPCaching",
                "HTTPCore",
                "Locking", "CLinux", "CSQLite", "CZstd", "StoreTorture", "TestSupport",
            ]
        ),
        tests(
            "TransformersTests",
            ["Transformers", "HTTPCore", "Exchanges", "Formats", "Transforms", "TestSupport", "CLinux"]
        ),
        tests(
            "UpstreamClientTests",
            [
                "UpstreamClient", "Exchanges", "Eventing", "HTTPCore", "Locking", "Platform", "TransportSecurity",
                "TestSupport",
            ]
        ),
        tests(
            "SharedStorageTests",
            [
                "SharedStorage", "RecordFormat", "ResourceCore", "Stores", "Exchanges", "HTTPCaching", "HTTPCore",
                "Transforms", "Eventing", "Locking", "Platform", "TransportSecurity", "RedisSupport", "TestSupport",
                "TestDoubles", "ResourceDoubles",
            ]
        ),
        tests(
            "HTTPServerTests",
            ["HTTPServer", "Eventing", "TransportSecurity", "HTTPCore", "Locking", "TestSupport"]
        ),
        tests(
            "ProxyingTests",
            [
                "Proxying", "Exchanges", "ResourceCore", "Configurations", "Stores", "ResourceModel", "Transforms",
                "HTTPCaching", "HTTPServer", "UpstreamClient", "Eventing", "HTTPCore", "TransportSecurity",
                "TestSupport", "TestDoubles", "ResourceDoubles", "Locking", "Logins", "Observability", "Platform",
            ]
        ),
        tests(
            "AdministrationTests",
            [
                "Administration", "Exchanges", "ResourceCore", "Outcomes", "Stores", "ResourceModel", "Transforms",
                "HTTPCaching", "HTTPServer", "Eventing", "Formats", "HTTPCore", "Locking", "Observability", "Platform",
                "CommandSyntax", "Settings", "JSON", "TestSupport",
            ]
        ),
        tests(
            "DaemonTests",
            [
                "Daemon", "CommandSyntax", "Settings", "JSON", "Formats", "HTTPCore", "HTTPCaching", "Exchanges",
                "ResourceCore", "Configurations", "Stores", "EntityStorage", "Transforms", "HTTPServer",
                "UpstreamClient", "Proxying", "Eventing", "TransportSecurity", "Locking", "Administration",
                "Observability", "Platform",
                "SharedStorage", "TestDoubles", "TestSupport",
            ]
        ),
        tests(
            "CassettesTests",
            [
                "Cassettes", "HTTPCore", "Settings", "JSON",
            ]
        ),
        tests(
            "RecordingTests",
            ["Cassettes", "Exchanges", "HTTPCore", "JSON", "Platform", "Recording", "TestDoubles", "TestSupport"]
        ),
        tests("CommandTextsTests", ["CommandTexts", "CommandSyntax", "Settings"]),
        tests("TerminalTests", ["Terminal", "Platform"]),
        tests(
            "CommandsTests",
            [
                "Commands", "CommandTexts", "CommandSyntax", "Settings", "Formats", "JSON", "Terminal", "HTTPCore",
                "Eventing", "TransportSecurity", "Platform", "TestSupport",
            ]
        ),
        tests(
            "RespiteTests",
            [
                "Respite", "EntityStorage", "HTTPCore", "Exchanges", "ResourceCore", "ResourceModel", "Locking",
                "TestSupport",
            ]
        ),
        tests(
            "RespiteFoundationTests",
            ["RespiteFoundation", "HTTPCore", "Exchanges", "ResourceCore", "ResourceModel", "TestSupport"]
        ),
        tests(
            "EndToEndTests",
            [
                "Commands", "HTTPCore", "CommandSyntax", "CommandTexts", "Settings", "JSON", "Locking", "Platform",
                "CLinux", "TransportSecurity", "RedisSupport", "TestSupport",
            ]
        ),

        // Benchmarks (`make bench`).
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "EntityStorage", "HTTPCaching", "HTTPCore", "Observability", "Exchanges", "ResourceCore", "Stores",
                "ResourceModel", "Transforms", "TransportSecurity",
            ],
            path: "Tests/Benchmarks",
            exclude: ["budget.txt"],
            swiftSettings: common
        ),

        // What the tests of several targets need.
        .target(
            name: "TestSupport",
            dependencies: ["CLinux", "COpenSSL", "Locking", "Platform", "TransportSecurity"],
            path: "Tests/TestSupport",
            swiftSettings: common
        ),

        // Redis servers of a test's own.
        .target(
            name: "RedisSupport",
            dependencies: ["CLinux", "TestSupport"],
            path: "Tests/RedisSupport",
            swiftSettings: common
        ),

        // Clocks, queues, origins, workers and transformers that tests move by hand.
        .target(
            name: "TestDoubles",
            dependencies: ["Exchanges", "HTTPCore", "Locking", "Transforms"],
            path: "Tests/TestDoubles",
            swiftSettings: common
        ),

        // A service with its clients and its store, between them.
        .target(
            name: "ResourceDoubles",
            dependencies: [
                "Exchanges", "Explaining", "HTTPCaching", "HTTPCore", "Locking", "ResourceCore", "Configurations",
                "Outcomes", "Stores", "ResourceModel", "TestDoubles", "Transforms",
            ],
            path: "Tests/ResourceDoubles",
            swiftSettings: common
        ),

        // A plain parser to compare ours with: it shares no code with it (`make differential`).
        .target(name: "WireReference", path: "Tests/Tools/WireReference", swiftSettings: common),
        .target(
            name: "DifferentialRuns",
            dependencies: ["HTTPCore", "WireReference"],
            path: "Tests/Tools/DifferentialRuns",
            swiftSettings: common
        ),
        .executableTarget(
            name: "Differential",
            dependencies: ["DifferentialRuns"],
            path: "Tests/Tools/Differential",
            swiftSettings: common
        ),

        // Replays traces through the memory tier's policy (`make eviction`).
        .executableTarget(
            name: "EvictionReplay",
            dependencies: ["EntityStorage", "Stores"],
            path: "Tests/Tools/EvictionReplay",
            swiftSettings: common
        ),

        // A program that tests kill.
        .executableTarget(
            name: "StoreTorture",
            dependencies: ["EntityStorage", "Stores", "Transforms", "HTTPCore"],
            path: "Tests/Tools/StoreTorture",
            swiftSettings: common
        ),

        // Programs with the library, which soak tests run and kill.
        .executableTarget(
            name: "LibraryTorture",
            dependencies: ["Respite", "ResourceModel", "ResourceCore", "HTTPCore", "Locking"],
            path: "Tests/Tools/LibraryTorture",
            swiftSettings: common
        ),

        // Fuzzers (`make fuzz`).
        fuzzer("RequestParserFuzz", ["HTTPCore"]),
        fuzzer("ResponseParserFuzz", ["HTTPCore"]),
        fuzzer("ChunkedDecoderFuzz", ["HTTPCore"]),
        fuzzer(
            "SettingsFuzz",
            [
                "Settings", "JSON",
            ]
        ),
        fuzzer("ContentDecoderFuzz", ["Transformers", "Transforms", "HTTPCore"]),
        fuzzer("PreludeFuzz", ["Eventing", "HTTPCore", "TransportSecurity"]),
        fuzzer("SOCKSFuzz", ["HTTPServer", "HTTPCore"]),
        fuzzer("JSONFuzz", ["Transformers", "Transforms", "HTTPCore"]),
    ],
    cxxLanguageStandard: .cxx17
)
