// swift-tools-version: 6.1
// SPDX-License-Identifier: MIT

import PackageDescription

/// The settings of every Swift target: language mode 6 and the strict upcoming features.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// One layer: a target that imports only the targets named, and its tests.
func layer(
    _ name: String, uses dependencies: [String] = [], testsUse: [String]? = []
) -> [Target] {
    let names = dependencies.map { Target.Dependency(stringLiteral: $0) }
    let target = Target.target(name: name, dependencies: names)
    guard let testsUse else { return [target] }
    let tests = Target.testTarget(
        name: name + "Tests",
        dependencies: names + [Target.Dependency(stringLiteral: name)]
            + testsUse.map { Target.Dependency(stringLiteral: $0) })
    return [target, tests]
}

let package = Package(
    name: "CacheStore",
    products: [
        .library(name: "CacheStore", targets: ["CacheStore"]),
        .library(name: "CacheStoreTestKit", targets: ["CacheStoreTestKit"]),
        .executable(name: "cachestore", targets: ["CacheStoreCommand"]),
    ],
    targets: [
        .systemLibrary(
            name: "CCacheStoreSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CCacheStoreZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "CCacheStoreShims", dependencies: ["CCacheStoreSQLite"]),
        .target(name: "CCacheStoreFaults", dependencies: ["CCacheStoreSQLite"]),
    ]
        + layer("CacheStoreModel", testsUse: ["CacheStoreTestKit"])
        + layer("CacheStoreProcess")
        + layer("CacheStoreQuery", uses: ["CacheStoreModel"])
        + layer(
            "CacheStoreSQLite", uses: ["CCacheStoreSQLite", "CCacheStoreShims"],
            testsUse: ["CacheStoreTestKit"])
        + layer(
            "CacheStoreHealing",
            uses: [
                "CacheStoreProcess", "CacheStoreSQLite", "CCacheStoreShims", "CCacheStoreSQLite",
            ], testsUse: ["CacheStoreTestKit"])
        + layer(
            "CacheStorePersistence",
            uses: [
                "CCacheStoreShims", "CacheStoreModel", "CacheStoreProcess", "CacheStoreQuery",
                "CacheStoreSQLite", "CacheStoreHealing", "CCacheStoreSQLite", "CCacheStoreZlib",
            ], testsUse: ["CacheStoreTestKit"])
        + layer(
            "CacheStoreGraph",
            uses: [
                "CCacheStoreShims", "CacheStoreModel", "CacheStoreQuery", "CacheStoreHealing",
                "CacheStorePersistence",
            ], testsUse: ["CacheStoreSQLite", "CacheStoreTestKit"])
        + layer(
            "CacheStore",
            uses: [
                "CacheStoreModel", "CacheStoreProcess", "CacheStoreQuery", "CacheStoreSQLite",
                "CacheStoreHealing", "CacheStorePersistence", "CacheStoreGraph",
            ], testsUse: ["CacheStoreTestKit"])
        + layer(
            "CacheStoreTestKit", uses: ["CCacheStoreFaults", "CCacheStoreSQLite", "CacheStore"],
            testsUse: ["CacheStoreSQLite"])
        + [
            .executableTarget(
                name: "CacheStoreCommand",
                dependencies: ["CacheStoreSQLite", "CacheStoreHealing", "CacheStorePersistence"]),
            .testTarget(
                name: "CacheStoreCommandTests",
                dependencies: [
                    "CacheStoreCommand", "CacheStoreSQLite", "CacheStore", "CacheStoreTestKit",
                ]),
            .executableTarget(
                name: "PackageCatalog", dependencies: ["CacheStore"],
                path: "Examples/PackageCatalog"),
            .testTarget(
                name: "PackageCatalogTests",
                dependencies: ["PackageCatalog", "CacheStore", "CacheStoreTestKit"]),
            .executableTarget(
                name: "CacheStoreBenchmarks",
                dependencies: ["CacheStore", "CacheStoreSQLite", "CCacheStoreSQLite"],
                path: "Benchmarks/CacheStoreBenchmarks"),
            .executableTarget(
                name: "CacheStoreTorture",
                dependencies: [
                    "CacheStore", "CacheStoreTestKit", "CacheStoreHealing",
                    "CacheStorePersistence", "CacheStoreSQLite",
                ], path: "Benchmarks/CacheStoreTorture"),
            .testTarget(
                name: "CacheStoreTortureTests",
                dependencies: ["CacheStoreTorture", "CacheStoreTestKit"]),
        ]
)

for target in package.targets {
    switch target.type {
    case .regular, .executable, .test:
        if !target.name.hasPrefix("CCacheStore") { target.swiftSettings = strict }
    default: break
    }
}
