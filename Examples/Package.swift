// swift-tools-version: 6.2
import PackageDescription

/// Settings of every program.
let common: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

func program(_ name: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: [.product(name: "Respite", package: "respite")],
        swiftSettings: common
    )
}

let package = Package(
    name: "examples",
    dependencies: [.package(name: "respite", path: "..")],
    targets: [program("watch"), program("front")]
)
