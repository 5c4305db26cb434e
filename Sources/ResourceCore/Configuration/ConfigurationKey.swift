/// Names a value that another module adds to `Configuration`.
public protocol ConfigurationKey: SendableMetatype {
    associatedtype Value: Sendable

    /// What counts unless something else is configured.
    static var defaultValue: Value { get }

    /// What to say of a value in descriptions of a configuration; nothing that may be a credential.
    static func descriptions(of value: Value) -> [String]
}

extension ConfigurationKey {
    public static func descriptions(of value: Value) -> [String] { [] }
}

extension Configuration {
    public subscript<Key: ConfigurationKey>(key: Key.Type) -> Key.Value {
        get { added[ObjectIdentifier(key)]?.value as? Key.Value ?? key.defaultValue }
        set { added[ObjectIdentifier(key)] = AddedValue(newValue, of: key) }
    }

    /// What other modules say of the values that they added.
    var addedDescriptions: [String] { added.values.flatMap { $0.descriptions() } }

    struct AddedValue: Sendable {
        let value: any Sendable
        let descriptions: @Sendable () -> [String]

        init<Key: ConfigurationKey>(_ value: Key.Value, of key: Key.Type) {
            self.value = value
            descriptions = { Key.descriptions(of: value) }
        }
    }
}
