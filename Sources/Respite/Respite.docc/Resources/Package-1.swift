// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "page",
    targets: [
        .executableTarget(name: "page")
    ]
)
