public import CommandSyntax
import CommandTexts
import Platform
public import Settings

/// The presets of this program; asks the tools of this machine for their indexes.
public struct ToolPresets: PresetSource {
    private let ask: PackageIndex
    /// What tools have said already.
    var known: [RulePreset: [PackageIndexURL]] = [:]

    /// Asks with the variables, signal mask and limits that this process has now.
    public init() { self.init(PackageIndex(state: ProcessState(), environment: .current)) }

    init(_ ask: PackageIndex) { self.ask = ask }

    public func rules(of preset: RulePreset, for index: PackageIndexURL) -> [UInt8] {
        let text = ShippedRules.text(of: preset)
        guard preset == .pip, !index.lastPart.isEmpty, index.lastPart != "simple" else { return Array(text.utf8) }
        // Not every index has its pages below `simple`.
        return Array(text.replacing("\"**/simple/**\"", with: "\"\(index.lastPart)/**\"").utf8)
    }

    public func servers(of preset: RulePreset, for index: PackageIndexURL) -> [String] {
        // An index of Python packages often has its files beside the pages.
        [preset == .pip ? index.parent : index.directory]
    }

    public func indexes(of preset: RulePreset) throws(PresetFault) -> [PackageIndexURL] {
        if let known = known[preset] { return known }
        let remedy = "write \"\(preset.rawValue)=URL\" with the URL of the index"
        guard let programs = Self.programs[preset] else {
            throw PresetFault("the name of an image names its registry, so \(remedy)")
        }
        guard let (tool, program) = programs.first(where: { ask.isInstalled($0.program) }) else {
            let names = programs.map { $0.program.joined(separator: " ") }.joined(separator: ", ")
            throw PresetFault(
                "no tool here can name the index of \(preset.rawValue) (\(names)); install one, or \(remedy)"
            )
        }
        let answer = ask.ask(tool, program)
        if case .unknown(let reason) = answer { throw PresetFault("\(reason); \(remedy)") }
        return answer.indexes
    }

    /// The tools that name the index of a preset; the first one that is installed is asked.
    private static let programs: [RulePreset: [(tool: ClientTool, program: [String])]] = [
        .pip: [(.pip, ["pip"]), (.pip, ["pip3"]), (.uv, ["uv"])],
        .npm: [(.npm, ["npm"]), (.pnpm, ["pnpm"]), (.yarn, ["yarn"])],
        .go: [(.go, ["go"])],
        .cargo: [(.cargo, ["cargo"])],
        .apt: [(.apt, ["apt-get"])],
        .gem: [(.gem, ["gem"])],
        .maven: [(.mvn, ["mvn"])],
    ]
}

extension ClientTool {
    /// The rules for what the tool fetches; nil: there are none.
    var preset: RulePreset? {
        switch self {
        case .pip, .uv: .pip
        case .npm, .yarn, .pnpm: .npm
        case .go: .go
        case .cargo: .cargo
        case .apt: .apt
        case .gem: .gem
        case .mvn, .gradle: .maven
        case .docker, .skopeo, .podman: .oci
        case .git, .curl, .wget, .python, .node, .java: nil
        }
    }
}
