/// Why no JSON transformer can be made from options.
public struct JSONOptionError: Error, Sendable, Equatable {
    /// A sentence for people, without the column.
    public var userMessage: String
    /// The index of the path with the error; nil if the error is not in a list of paths.
    public var pathIndex: Int?
    /// The column of the error in the path, in characters from 1; nil if the error has no position.
    public var column: Int?

    public init(_ userMessage: String, pathIndex: Int? = nil, column: Int? = nil) {
        self.userMessage = userMessage
        self.pathIndex = pathIndex
        self.column = column
    }
}
