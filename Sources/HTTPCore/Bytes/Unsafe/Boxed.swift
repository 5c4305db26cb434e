/// A value in an object of its own; copies share the object until one of them is changed.
///
/// For values that are large and often passed on, and, as an optional, for values that are rarely present. Reading and
/// changing a member costs as much as in a class: release builds resolve the key paths of member look-up at compile
/// time. The value is accessed by its address: a coroutine that is not inlined allocates a frame for each access.
@dynamicMemberLookup
public struct Boxed<Value> {
    @safe private final class Storage {
        // The struct checks its own accesses, and nothing else refers to this object.
        @safe @exclusivity(unchecked) private var value: Value

        /// The address of `value`, a stored property without observers; valid as long as somebody refers to the object.
        ///
        /// `&value` counts as a modification wherever it stands. Here no other thread has the object yet; threads that
        /// read a shared box do not race.
        let address: UnsafeMutablePointer<Value>

        init(_ value: consuming Value) {
            self.value = value
            unsafe address = withUnsafeMutablePointer(to: &self.value) { unsafe $0 }
        }
    }

    private var storage: Storage

    public init(_ value: consuming Value) { storage = Storage(value) }

    public var value: Value {
        unsafeAddress { unsafe UnsafePointer(storage.address) }
        unsafeMutableAddress { unsafe uniqueAddress }
    }

    /// The address of a value that no other box shares.
    fileprivate var uniqueAddress: UnsafeMutablePointer<Value> {
        mutating get {
            if !isKnownUniquelyReferenced(&storage) { unsafe storage = Storage(storage.address.pointee) }
            return unsafe storage.address
        }
    }

    public subscript<Member>(dynamicMember member: KeyPath<Value, Member>) -> Member {
        _read { yield value[keyPath: member] }
    }

    public subscript<Member>(dynamicMember member: WritableKeyPath<Value, Member>) -> Member {
        _read { yield value[keyPath: member] }
        _modify { yield &value[keyPath: member] }
    }
}

// Copies share an object that nobody changes.
extension Boxed: @unchecked Sendable where Value: Sendable {}

extension Boxed: Equatable where Value: Equatable {
    public static func == (left: Boxed, right: Boxed) -> Bool {
        left.storage === right.storage || left.value == right.value
    }
}

extension Optional {
    /// The value in the box.
    ///
    /// If there is no box, reading returns `initial`, and changing puts `initial` into a new box first.
    public subscript<Value>(orNew initial: @autoclosure () -> Value) -> Value where Wrapped == Boxed<Value> {
        get { map(\.value) ?? initial() }
        unsafeMutableAddress {
            var box = take() ?? Boxed(initial())
            let address = unsafe box.uniqueAddress
            self = box
            return unsafe address
        }
    }
}
