import TOML

extension SettingType where Value == StorageLimit {
    static var storageLimit: SettingType {
        let size = SettingType<ByteCount>.size(StorageLimit.range)
        return SettingType(
            name: "\(size.name), or percent of the disk",
            isText: true,
            parse: { (node) throws(SettingFault) -> StorageLimit in
                guard case .text(let text) = node.value, text.contains("%") else {
                    return StorageLimit(try size.parse(node))
                }
                guard let limit = StorageLimit(percentText: text) else {
                    throw SettingFault("a share of the disk from \"1%\" to \"100%\", or a size", insteadOf: node)
                }
                return limit
            },
            format: { limit in limit.percent.map { "\"\($0)%\"" } ?? size.format(limit.size) }
        )
    }
}
