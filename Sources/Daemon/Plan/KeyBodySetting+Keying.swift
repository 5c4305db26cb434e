import HTTPCaching
import Settings
import Transformers

extension KeyBodySetting {
    /// How content becomes a part of the cache key; checks the paths.
    func keying(depthLimit: Int) throws(TransformOptionFault) -> ContentKeying {
        switch self {
        case .off: return .off
        case .bytes: return .bytes
        case .json(let ignore, let only):
            // Each list by itself first, so that the message names the one at fault.
            _ = try Self.form(ignore, [], "ignore", depthLimit)
            let form = try Self.form(ignore, only, "only", depthLimit)
            return .form(CanonicalForm(name: form.name) { form.text(of: $0).map { .success($0) } ?? .failure(.form) })
        case .graphql(let ignore):
            _ = try Self.form(ignore, [], "ignore", depthLimit)
            let form: GraphQLKeyForm
            do throws(JSONOptionError) {
                form = try GraphQLKeyForm(ignoring: ignore, depthLimit: depthLimit)
            } catch {
                throw TransformOptionFault(error, member: "ignore")
            }
            return .form(CanonicalForm(name: form.name) { form.judge($0).text })
        }
    }

    private static func form(
        _ ignore: [String],
        _ only: [String],
        _ member: String,
        _ depthLimit: Int
    ) throws(TransformOptionFault) -> JSONKeyForm {
        do throws(JSONOptionError) {
            return try JSONKeyForm(ignoring: ignore, only: only, depthLimit: depthLimit)
        } catch {
            throw TransformOptionFault(error, member: error.pathIndex.map { "\(member)[\($0)]" } ?? member)
        }
    }
}

extension GraphQLKeyForm.Content {
    /// The text of a query; why other content has none.
    fileprivate var text: Result<[UInt8], UnkeyedContent> {
        switch self {
        case .query(let text): .success(text)
        case .mutation: .failure(.mutation)
        case .subscription: .failure(.subscription)
        case .batch: .failure(.batch)
        case .unknown: .failure(.persisted)
        case .invalid: .failure(.form)
        }
    }
}

extension RuleSettings {
    /// Checks the paths of `scrub`.
    func checkScrubbing() throws(TransformOptionFault) {
        do throws(JSONOptionError) {
            _ = try JSONSelection(paths: scrub, names: [])
        } catch {
            throw TransformOptionFault(error, member: error.pathIndex.map { "scrub[\($0)]" } ?? "scrub")
        }
    }
}
