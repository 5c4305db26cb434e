/// An element of a stage.
public enum PipelineElement: Sendable {
    /// Changes bytes, for clients of the proxy and for programs.
    case step(PipelineStep)
    /// Changes values, for programs only.
    case value(any ValueElement)
}

/// An element of a stage that changes a program's values.
///
/// The layer that knows those values implements and runs it. A pipeline only keeps it in order among the streaming
/// steps.
public protocol ValueElement: Sendable {}

/// A cache for the output of a stage, for programs.
///
/// The layer that knows a program's values implements and uses it. A pipeline only keeps it with its stage.
public protocol StageCache: Sendable {}
