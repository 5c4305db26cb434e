// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "examples",
    dependencies: [.package(name: "respite", path: "..")],
    targets: [
        .executableTarget(
            name: "watch",
            dependencies: [.product(name: "Respite", package: "respite")],
            swiftSettings: [.treatAllWarnings(as: .error)]
        )
    ]
)
