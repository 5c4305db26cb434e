/// The version of this build, and the one place where it is written: the Makefile and packages ask the program.
public enum Version {
    /// The semantic version of the package.
    public static let text = "1.0.0"

    /// What follows the name of an unknown setting.
    static let hint =
        "; this is version \(text), and a newer one may know it; `respite config schema` lists those of this one"
}
