import Eventing
import HTTPCore
import Platform
import Settings
import TestSupport
import Testing
import TransportSecurity

@testable import Daemon

/// What a reload does to the CA of interception.
@Suite struct MintingReloadTests {
    private let directory = TemporaryDirectory()

    private func writeAuthority() throws {
        let authority = try CertificateAuthority.make(name: "Lab", days: 30, at: HTTPDate.now)
        try AuthorityFiles(directory: directory.path("ca")).write(authority, replaces: true)
    }

    private func plan(_ hosts: String) throws -> ServingPlan {
        var reader = SettingsReader()
        let text = "[intercept]\nhosts = \(hosts)\nca-directory = \"\(directory.path("ca"))\"\n"
        reader.read(Array(text.utf8), name: "respite.toml")
        return try ServingPlan(try reader.finish(), ProcessContext(environment: [:], isRoot: false))
    }

    @Test("certificates of hosts outlive a reload while the CA is the same, and no longer")
    func reload() throws {
        // Given a plan that intercepts
        try writeAuthority()
        let running = try plan("[\"a.example\"]")
        let minting = try #require(running.minting)
        // When other hosts are intercepted, then the certificates stay
        let same = try plan("[\"a.example\", \"b.example\"]").keepingWhatNeedsRestart(of: running)
        #expect(same.minting === minting)
        // When nothing is intercepted, then no CA is needed
        #expect(try plan("[]").keepingWhatNeedsRestart(of: running).minting == nil)
        // When the CA is another one, then it signs from now on
        try writeAuthority()
        let other = try plan("[\"a.example\"]").keepingWhatNeedsRestart(of: running)
        #expect(other.minting != nil && other.minting !== minting)
        #expect(other.minting?.mint.authority.isSame(as: minting.mint.authority) == false)
    }
}
