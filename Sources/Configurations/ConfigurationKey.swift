import HTTPCore

/// Names a value that another module adds to `Configuration`.
public protocol ConfigurationKey: SendableMetatype {
    associatedtype Value: Sendable

    /// The value where none is configured.
    static var defaultValue: Value { get }

    /// Texts that describe a value to people. They MUST NOT contain credentials.
    static func descriptions(of value: Value) -> [String]
}

extension ConfigurationKey {
    public static func descriptions(of value: Value) -> [String] { [] }
}

extension Configuration {
    package subscript<Key: ConfigurationKey>(key: Key.Type) -> Key.Value {
        get { added[ObjectIdentifier(key)]?.value as? Key.Value ?? key.defaultValue }
        set { added[ObjectIdentifier(key)] = AddedValue(newValue, of: key) }
    }

    /// Descriptions of changes to requests, and of the values that other modules added.
    package var addedDescriptions: [String] {
        requestEdits.map { "a rule \($0.summary) in requests" } + added.values.flatMap { $0.descriptions() }
    }

    struct AddedValue: Sendable {
        let value: any Sendable
        let descriptions: @Sendable () -> [String]

        init<Key: ConfigurationKey>(_ value: Key.Value, of key: Key.Type) {
            self.value = value
            descriptions = { Key.descriptions(of: value) }
        }
    }
}
