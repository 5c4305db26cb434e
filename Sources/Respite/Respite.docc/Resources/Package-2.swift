// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "page",
    dependencies: [
        .package(path: "../respite")
    ],
    targets: [
        .executableTarget(name: "page")
    ]
)
