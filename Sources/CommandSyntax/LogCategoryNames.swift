/// The names that `respite log` accepts: categories of the core's messages, and presets (S-229).
///
/// The core declares the categories; a test of Administration compares both lists.
public enum LogCategoryNames {
    public static let categories = [
        "network", "networkDetails", "pipeline", "stateChanges", "observers", "staleness", "cache", "configuration",
    ]
    /// Each means several categories, or none.
    public static let presets = ["none", "common", "detailed", "all"]

    /// The categories, then the presets.
    public static let all = categories + presets
}
