public import HTTPCore

/// The content JSON transformers work on unless a rule names other types (S-179).
public enum JSONMediaTypes {
    /// `*/json` and `*/*+json`.
    public static let patterns = ["*/json", "*/*+json"].compactMap { MediaTypePattern($0) }
}
