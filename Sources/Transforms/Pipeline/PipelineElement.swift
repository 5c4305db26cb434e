/// One element of a pipeline's stage.
public enum PipelineElement: Sendable {
    /// Changes bytes; runs for clients of the proxy and for programs.
    case step(PipelineStep)
    /// Changes values; runs for programs only.
    case value(any ValueElement)
}

/// An element of a stage that changes a program's values.
///
/// The layer that knows those values implements and runs it. A pipeline only keeps it in order among the streaming steps.
public protocol ValueElement: Sendable {}

/// What keeps the output of a stage for a program.
///
/// The layer that knows a program's values implements and uses it. A pipeline only keeps it with its stage.
public protocol StageCache: Sendable {}
