extension JSONWriter {
    /// Writes a Swift value as `JSONText` describes; returns false if JSON has no such value.
    mutating func value(_ value: any Sendable, depth: Int) -> Bool {
        if depth > JSONText.depthBound { return false }
        switch value {
        case let text as String: self.text(text)
        case let text as Substring: self.text(String(text))
        case let flag as Bool: boolean(flag)
        case is JSONNull: null()
        case let number as any BinaryInteger: literal("\(number)")
        case let number as Double: return finite(number)
        // A `Float` has a shorter text than the `Double` nearest to it.
        case let number as Float: return finite(Double("\(number)") ?? .nan)
        case let members as [String: any Sendable]: return object(members, depth: depth)
        case let elements as [any Sendable]: return array(elements, depth: depth)
        default: return false
        }
        return true
    }

    private mutating func finite(_ number: Double) -> Bool {
        guard number.isFinite else { return false }
        real(number)
        return true
    }

    private mutating func object(_ members: [String: any Sendable], depth: Int) -> Bool {
        var isComplete = true
        object { writer in
            for (name, member) in members.sorted(by: { $0.key < $1.key }) where isComplete {
                writer.name(name)
                isComplete = writer.value(member, depth: depth + 1)
            }
        }
        return isComplete
    }

    private mutating func array(_ elements: [any Sendable], depth: Int) -> Bool {
        var isComplete = true
        array { writer in
            for element in elements where isComplete { isComplete = writer.value(element, depth: depth + 1) }
        }
        return isComplete
    }
}
