/// The names that `respite log` accepts: categories of the core's messages, and presets (S-229).
///
/// The core declares the categories; a test of Administration compares both lists.
public enum LogCategoryNames {
    public static let categories = [
        "network", "networkDetails", "pipeline", "stateChanges", "observers", "staleness", "cache", "configuration",
    ]
    /// Each stands for several categories, or for none.
    public static let presets = ["none", "common", "detailed", "all"]

    /// Categories, then presets.
    public static let all = categories + presets
}
