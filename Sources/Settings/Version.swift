/// The version of this build.
public enum Version {
    /// Semantic version of the package.
    public static let text = "0.1.0"
}
