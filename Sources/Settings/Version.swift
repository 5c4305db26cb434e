/// The version of this build.
public enum Version {
    /// The semantic version of the package.
    public static let text = "0.1.0"
}
