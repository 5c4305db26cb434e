import HTTPCore
import ResourceCore
public import Transforms

/// A program's transformer in a stage of a pipeline.
struct StageTransformer: ValueElement {
    let transformer: any ResponseTransformer
    /// The types of content that it runs on; nil: any.
    let contentTypes: [MediaTypePattern]?
}

/// A program's cache behind a stage of a pipeline.
private struct StageEntityCache: StageCache {
    let cache: any EntityCache
}

extension PipelineStage {
    /// The transformers of programs, in order.
    public var transformers: [any ResponseTransformer] {
        elements.compactMap {
            if case .value(let element as StageTransformer) = $0 { element.transformer } else { nil }
        }
    }

    /// The cache that keeps the output of the stage.
    var entityCache: (any EntityCache)? { (cache as? StageEntityCache)?.cache }

    /// Adds a transformer behind the present ones.
    public mutating func add(_ transformer: any ResponseTransformer) {
        add(.value(StageTransformer(transformer: transformer, contentTypes: nil)))
    }

    /// Adds a transformer for content of certain types, behind the present ones.
    ///
    /// It runs on successes and failures with content of such a type, and on no others (S-174).
    /// - Parameters:
    ///   - transformer: runs after the present ones.
    ///   - contentTypes: such as `text/plain`, `*/json` or `*/*+json`. A `*` matches one or more characters except `/`
    ///     and `+`. Case and parameters do not matter; a pattern must match as a whole (S-253). A pattern other than
    ///     `type/subtype` is a programming error.
    public mutating func add(_ transformer: any ResponseTransformer, contentTypes: [String]) {
        let patterns = contentTypes.map { text in
            guard let pattern = MediaTypePattern(text, crossesSuffixes: false) else {
                preconditionFailure("\"\(text)\" is no pattern of media types such as \"text/*\"")
            }
            return pattern
        }
        add(.value(StageTransformer(transformer: transformer, contentTypes: patterns)))
    }

    /// Sets the cache that keeps the output of this stage; it replaces the present one (S-169, S-186).
    public mutating func cacheUsing(_ cache: any EntityCache) { self.cache = StageEntityCache(cache: cache) }
}

extension Pipeline {
    /// Adds a standard transformer to its stage (S-169).
    ///
    /// - Parameters:
    ///   - transformer: runs after the present ones of its stage.
    ///   - contentTypes: patterns of media types that replace its usual ones.
    public mutating func add(_ transformer: StandardTransformer, contentTypes: [String]? = nil) {
        self[transformer.stage].add(transformer.transformer, contentTypes: contentTypes ?? transformer.contentTypes)
    }
}
