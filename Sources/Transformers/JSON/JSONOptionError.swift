/// Why a JSON transformer cannot be made of the options given.
public struct JSONOptionError: Error, Sendable, Equatable {
    /// A sentence for a person; without the column.
    public var userMessage: String
    /// Which of several paths is at fault, from 0; nil if it is not a path of a list.
    public var pathIndex: Int?
    /// Where in the path, in characters from 1; nil if no place in a path is at fault.
    public var column: Int?

    public init(_ userMessage: String, pathIndex: Int? = nil, column: Int? = nil) {
        self.userMessage = userMessage
        self.pathIndex = pathIndex
        self.column = column
    }
}
