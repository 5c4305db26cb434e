import HTTPCore
import ResourceCore
public import Transforms

/// A program's transformer in a stage of a pipeline.
struct StageTransformer: ValueElement {
    let transformer: any ResponseTransformer
    /// It sees content of these types only; nil: any.
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

    /// Keeps what the stage puts out.
    var entityCache: (any EntityCache)? { (cache as? StageEntityCache)?.cache }

    /// Adds a transformer behind those there are.
    public mutating func add(_ transformer: any ResponseTransformer) {
        add(.value(StageTransformer(transformer: transformer, contentTypes: nil)))
    }

    /// Adds a transformer for content of certain types, behind those there are.
    ///
    /// It sees successes and failures that have content of such a type, and no others (S-174).
    /// - Parameters:
    ///   - transformer: goes behind those there are.
    ///   - contentTypes: such as `text/plain`, `*/json` or `*/*+json`: `*` stands for one or more characters other than `/`
    ///     and `+`; case and parameters do not matter, and a pattern must match as a whole (S-253). One that is not of the
    ///     form `type/subtype` is a programming error.
    public mutating func add(_ transformer: any ResponseTransformer, contentTypes: [String]) {
        let patterns = contentTypes.map { text in
            guard let pattern = MediaTypePattern(text, crossesSuffixes: false) else {
                preconditionFailure("\"\(text)\" is no pattern of media types such as \"text/*\"")
            }
            return pattern
        }
        add(.value(StageTransformer(transformer: transformer, contentTypes: patterns)))
    }

    /// Has `cache` keep what this stage puts out, in the place of the one it has (S-169, S-186).
    public mutating func cacheUsing(_ cache: any EntityCache) { self.cache = StageEntityCache(cache: cache) }
}

extension Pipeline {
    /// Adds one of the standard transformers to the stage it belongs to (S-169).
    ///
    /// - Parameters:
    ///   - transformer: goes behind those the stage has.
    ///   - contentTypes: patterns of media types in place of its usual ones.
    public mutating func add(_ transformer: StandardTransformer, contentTypes: [String]? = nil) {
        self[transformer.stage].add(transformer.transformer, contentTypes: contentTypes ?? transformer.contentTypes)
    }
}
