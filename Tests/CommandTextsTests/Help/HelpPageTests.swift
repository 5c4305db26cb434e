import CommandSyntax
import Testing

@testable import CommandTexts

/// What people read who ask for help, in full.
@Suite struct HelpPageTests {
    private static let overview = #"""
        A caching HTTP proxy.

        usage: respite COMMAND [options]

        Begin:
          serve  runs the daemon in the foreground
          run    runs one command through the cache
          env    prints variables that point a shell here

        Record and replay:
          record          records a command's HTTP traffic
          replay          runs a command with recorded responses
          cassette show   lists what a cassette has
          cassette check  checks a cassette
          cassette prune  removes repeated responses

        Look:
          status        shows how the daemon is
          stats         shows what clients asked for and got
          top           shows what happens now
          ls            lists what is stored
          show          shows one stored resource
          explain       explains how a URL would be answered
          tail          shows requests as they are answered
          watch         shows the changes of one resource
          get           gets a URL through the cache
          cat           prints the content of one resource
          export        writes what is stored as HAR
          dashboard     opens the dashboard in a browser
          tunnels       lists open tunnels
          doctor        looks for what is wrong, and says what to do
          log           shows or changes what the daemon logs
          shared check  tries the server that machines share

        Change:
          put         serves content of your own for a URL
          \#("import")      stores the responses of a HAR file
          refresh     loads now, even what is stored
          purge       removes from memory and store
          wipe        removes from memory only
          invalidate  marks stale
          mode        shows or changes how the network is used
          reload      reads the settings again

        Settings:
          match          tells which URLs fit a pattern
          passwd         sets the password of a proxy user
          config check   checks the settings
          config show    shows the effective settings
          config schema  lists all settings

        Interception of https:
          ca create   makes a CA of your own
          ca show     shows the CA
          ca trust    lets this machine trust the CA
          ca untrust  undoes `ca trust`
          ca export   prints the CA's certificate

        Others:
          completion  prints a shell's completion script
          version     prints the version
          help        describes a command

        `respite COMMAND --help` describes a command, its options and an example.
        Exit status: 0 done, 1 failed, 2 wrong usage or settings, 3 not found, 4 no
        daemon answers.

        """#

    private static let match = #"""
        Tells which URLs fit a pattern; exit status 0 if one does, 1 if none does.

        usage: respite match [options] PATTERN URL…

        It needs no daemon. By default the pattern is one of URLs, as in rules, `ls` and
        `purge`.

        Options:
          --host  the pattern is one of hosts, as in intercept.hosts: no scheme, no path
          --json  as JSON

        Examples:
          respite match 'https://*.example.org/**' https://a.example.org/x

        """#

    private static let run = #"""
        Runs a command with its HTTP traffic through the cache, and package managers
        with rules for their index.

        usage: respite run [options] COMMAND…

        It uses the running daemon. Without one, it starts one for this command, whose
        store stays for the next time. At the end it prints requests, hits and the bytes
        saved, on standard error.

        The exit code is the command's: 125 if there is no daemon, 126 and 127 if the
        command cannot be run or found.

        Options:
          --for TOOL…          what this tool needs, in its own settings: pip, uv, npm,
                               yarn, pnpm, cargo, go, git, apt, gem, mvn, gradle,
                               docker, skopeo, podman, curl, wget, python, node, java
          --index URL          the package index, if the tool cannot be asked for it
          --no-proxy LIST      hosts that are asked directly; default: those of no_proxy
                               and this machine
          --own                uses a daemon of its own, even if one runs
          --intercept[=HOSTS]  reads https by a CA for this command and a day; HOSTS
                               limit it: a.example,*.b.example
          --rules NAME…        rules for a package index: pip, npm, go, cargo, apt, oci,
                               gem, maven; NAME=URL names the index
          -q, --quiet          prints nothing of its own
          --mode MODE          online, auto, offline or replay, for a daemon of its own
          --set KEY=VALUE…     any setting, for a daemon of its own
          --config FILE        the settings file
          --admin ADDR         where the running daemon's admin API answers
          --store DIR          the store of a daemon of its own, or none; also where the
                               running daemon's token is
          --token-file FILE    the admin token of the running daemon

        Examples:
          respite run -- ./test.sh
          respite run --for pip -- pip download six

        """#

    private static let config = #"""
        The settings: whether they are right, where each is set, which there are.

        usage: respite config PART [options]

          config check   checks the settings
          config show    shows the effective settings
          config schema  lists all settings

        `respite config PART --help` describes one of them.

        """#

    @Test("the overview has the commands by what they are for, and the exit codes")
    func whole() { #expect(CommandSpecification.overview == Self.overview) }

    @Test("the help of a command has its summary, usage, paragraphs, options and examples")
    func commands() throws {
        #expect(try CommandSpecification.named("match").help == Self.match)
        #expect(
            try CommandSpecification.named("version").help
                == "Prints the version.\n\nusage: respite version\n\nIt needs no daemon.\n\nExamples:\n  respite version\n"
        )
    }

    @Test("a long option has its meaning below, and a long meaning goes on below itself")
    func wrapped() throws {
        let help = try CommandSpecification.named("run").help
        #expect(help == Self.run)
    }

    @Test("the help of a group has its parts")
    func group() { #expect(CommandGroup.all.first { $0.name == "config" }?.help == Self.config) }

    @Test("columns are as wide as their longest term of 24 letters at most; without such a term they have 28")
    func columns() {
        let terms = ["a", String(repeating: "b", count: 3)].map { (term: $0, text: "text") }
        #expect(HelpText.list(terms) == "  a    text\n  bbb  text\n")
        let long = String(repeating: "c", count: 25)
        #expect(HelpText.list([(long, "text")]) == "  \(long)\n\(String(repeating: " ", count: 28))text\n")
        #expect(HelpText.list([]).isEmpty)
        #expect(HelpText.list([("ab", "text"), ("abc", "more")], termWidth: 2) == "  ab  text\n  abc\n      more\n")
    }

    @Test("lines have 80 letters at most, the indent included")
    func widths() {
        let word = String(repeating: "w", count: 40)
        #expect(HelpText.wrapped("\(word) \(word.dropLast())") == "\(word) \(word.dropLast())")
        #expect(HelpText.wrapped("\(word) \(word)") == "\(word)\n\(word)")
        #expect(HelpText.wrapped("\(word) \(word.dropLast())", indent: 1) == "\(word)\n \(word.dropLast())")
        #expect(HelpText.wrapped("\(word) \(word.dropLast(2))", indent: 1) == "\(word) \(word.dropLast(2))")
    }
}
