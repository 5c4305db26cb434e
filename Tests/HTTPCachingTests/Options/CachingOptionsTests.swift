import HTTPCaching
import HTTPCore
import Testing

@Suite("settings of caching where nobody sets them") struct CachingOptionsTests {
    @Test("the defaults are those of the documentation")
    func defaults() {
        let options = CachingOptions()
        #expect(options.heuristicFraction == 0.1 && options.heuristicLimitSeconds == 86400)
        #expect(options.targetedFields == [.respiteCacheControl])
        #expect(CachingOptions.originTargetedFields == [.respiteCacheControl, .cdnCacheControl])
        #expect(options.setCookie == .careful && options.cookies == .byRoute && options.isLoopbackListener)
        #expect(options.staleIfErrorSeconds == 0 && options.varyNameLimit == 32 && options.rangeLimit == 16)
        #expect(options.rules.isEmpty && !options.isForQuestions)
        #expect(!options.keepsPrivateWithoutCredential && !options.mayRecordStreams)
        let request = RequestProfile(method: .get)
        #expect(request.directives == RequestDirectives() && request.credentials.isEmpty && !request.wantsOwnStream)
        #expect(!request.wantsUpgrade && !request.sharesCredentials && !request.isForOrigin)
    }

    @Test("besides Authorization and Cookie these fields are credentials (C-20.1)")
    func credentials() {
        let names = [
            "api-key", "job-token", "ocp-apim-subscription-key", "private-token", "x-access-token",
            "x-amz-security-token", "x-api-key", "x-auth-token", "x-goog-api-key",
        ]
        let credentials = CachingOptions().credentials
        #expect(credentials.names == names.map(\.bytes))
        for name in names + ["authorization"] {
            #expect(credentials.presence(in: Fields([(name.uppercased(), "1")])) == .authorization, "\(name)")
        }
        #expect(CredentialFields(names: ["cookie".bytes, "AUTHORIZATION".bytes]).names.isEmpty)
        // Names of 63 bytes and more share what is known of their length.
        let long = String(repeating: "x", count: 70)
        let own = CredentialFields(names: [long.bytes])
        #expect(own.presence(in: Fields([(long, "1")])) == .authorization)
        #expect(own.presence(in: Fields([(long + "y", "1")])).isEmpty)
    }

    @Test("names that rules add to Vary and ignore in it are told for all responses, credentials never (C-25.1)")
    func varyNames() {
        var options = CachingOptions()
        options.rules = [
            CachingRule(name: "a", varyAdd: ["DPR".bytes], varyIgnore: ["X-B".bytes, "Cookie".bytes, "Origin".bytes]),
            CachingRule(name: "b", statuses: [200...200], varyAdd: ["Origin".bytes], varyIgnore: ["X-C".bytes]),
        ]
        #expect(options.addedVaryNames == ["dpr".bytes, "origin".bytes] && options.ignoredVaryNames == ["x-b".bytes])
    }
}
