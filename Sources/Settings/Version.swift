/// The version of this build.
public enum Version {
    /// The semantic version of the package.
    public static let text = "0.1.0"

    /// What follows the name of an unknown setting.
    static let hint =
        "; this is version \(text), and a newer one may know it; `respite config schema` lists those of this one"
}
