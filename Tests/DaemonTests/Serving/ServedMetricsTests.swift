import CommandSyntax
import Eventing
import Glibc
import Platform
import TestSupport
import Testing

@testable import Daemon

/// The metrics of a daemon that serves.
@Suite struct ServedMetricsTests {
    /// All families, besides those of a shared tier and of memory pressure, which is watched a moment later.
    private static let names = """
        process_resident_memory_bytes
        respite_access_log_dropped_lines_total respite_access_log_waiting_bytes
        respite_admin_refused_total respite_connections respite_delivered_bytes_total
        respite_forms_made_total respite_forms_restored_total respite_intercepted_connections_total
        respite_log_dropped_lines_total respite_log_waiting_bytes
        respite_login_failures_total respite_login_hashes_total respite_login_refused_total
        respite_memory_used_bytes
        respite_name_lookups respite_name_lookups_refused_total
        respite_name_server_questions_total respite_name_server_timeouts_total
        respite_origin_refused_total respite_origins_down respite_origins_without_reuse
        respite_rate_limit_refused_total respite_rate_limit_waits_total
        respite_renditions_made_total respite_renditions_restored_total
        respite_request_duration_seconds respite_requests_total respite_resources respite_responses_total
        respite_saved_bytes_total respite_saved_requests_total respite_slow_origins_total respite_socks_connections_total
        respite_store_compressed_bytes respite_store_compressed_content_bytes respite_store_compressed_entries
        respite_store_entries respite_store_healthy respite_store_limit_bytes
        respite_store_longest_look_up_seconds respite_store_longest_write_seconds
        respite_store_pending_invalidations respite_store_queued
        respite_store_shared_bodies respite_store_shared_bytes respite_store_used_bytes
        respite_telemetry_dropped_spans_total respite_telemetry_failures_total respite_telemetry_spans_total
        respite_telemetry_waiting_spans
        respite_token_requests_total respite_transform_memory_bytes respite_transform_memory_refused_total
        respite_tunnel_down_bytes_total respite_tunnel_up_bytes_total respite_tunnels respite_tunnels_total
        respite_unfinished_head_bytes respite_unfinished_head_refused_total
        respite_upstream_connections respite_upstream_idle_connections respite_upstream_retries_total
        respite_warm_failures_total respite_warm_loads_total respite_warm_rounds_total respite_warm_skipped_total
        """

    /// What a daemon tells.
    ///
    /// - Parameter use: uses the listener at this port before.
    private func metrics(
        _ options: [String],
        after use: (UInt16) throws -> Void = { _ in }
    ) throws -> [Substring] {
        let directory = TemporaryDirectory()
        let words = [
            "serve", "--config", try directory.write("", to: "respite.toml"), "--listen", "127.0.0.1:0",
            "--admin", "127.0.0.1:0", "--set", "admin-token-file=\(directory.path("token"))",
        ]
        let store = options.isEmpty ? ["--store", directory.directory("store")] : []
        let files = SettingsFiles(
            command: try ParsedCommand.parse(words + store + options),
            context: ProcessContext(environment: [:], isRoot: false)
        )
        let serves = Latch()
        let application = try Application(
            try files.plan(),
            files: files,
            log: .silent,
            isLasting: false,
            onServing: { serves.open() }
        )
        let thread = try Thread(name: "serve") { _ = application.run() }
        serves.wait()
        defer {
            application.finish()
            thread.join()
        }
        let port = try #require(application.administration.addresses.first?.port)
        let token = String(
            decoding: try SmallFile.read(directory.path("token"), limit: 1000).prefix { $0 > 0x20 },
            as: UTF8.self
        )
        try use(try #require(application.sockets.proxyAddresses.first?.port))
        if let store = application.storage.store {
            let opened = Gate()
            store.whenOpen { _ in opened.open() }
            try opened.wait("the store to open")
        }
        let client = RawClient(port: port)
        client.send(
            "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(token)\r\n"
                + "Connection: close\r\n\r\n"
        )
        let text = client.receiveAll().text
        #expect(text.hasPrefix("HTTP/1.1 200 "))
        return text.content.split(separator: "\n").filter { !$0.contains("respite_memory_pressure_total") }
    }

    @Test("each family is there from the start, and all but the memory in use are at nothing")
    func names() throws {
        let lines = try metrics(["--store", "none"])
        let types = lines.filter { $0.hasPrefix("# TYPE ") }.map { String($0.split(separator: " ")[2]) }
        #expect(types == Self.names.split { $0 == " " || $0 == "\n" }.map(String.init))
        for line in lines where !line.hasPrefix("#") && !line.hasPrefix("process_") {
            #expect(line.hasSuffix(" 0") || line.hasSuffix(" 0.0"), "\(line)")
        }
    }

    @Test("the limit of a store is that of the settings, and it works once it is open")
    func store() throws {
        let lines = try metrics([])
        #expect(lines.contains("respite_store_healthy 1"))
        #expect(lines.contains("respite_store_limit_bytes \(4 << 30)"))
        #expect(lines.contains("respite_store_entries 0") && lines.contains("respite_store_queued 0"))
    }

    /// A name server that knows no name, on a port of loopback.
    private struct NameServer {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let port: UInt16

        init() throws {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = descriptor
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
                }
            }
            try #require(isBound)
            port = UInt16(bigEndian: address.sin_port)
        }

        /// Answers a question that has come; false if there is none.
        func answer() -> Bool {
            var (query, peer) = ([UInt8](repeating: 0, count: 1024), sockaddr_in())
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            return withUnsafeMutablePointer(to: &peer) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { peer in
                    let count = recvfrom(descriptor, &query, query.count, Int32(MSG_DONTWAIT), peer, &size)
                    guard count > 12 else { return false }
                    // A response, without error but that there is no such name.
                    query[2] = 0x81
                    query[3] = 0x83
                    return sendto(descriptor, query, count, 0, peer, size) == count
                }
            }
        }
    }

    @Test("each question that a name server gets is counted")
    func questions() throws {
        let server = try NameServer()
        defer { close(server.descriptor) }
        var questions = 0
        let options = ["--store", "none", "--set", "dns.servers=[\"127.0.0.1:\(server.port)\"]"]
        let lines = try metrics(options) { port in
            let client = RawClient(port: port)
            client.send("GET http://nobody.example/ HTTP/1.1\r\nHost: nobody.example\r\n\r\n")
            while !client.hasReceived {
                var ready = [server.descriptor, client.descriptor].map {
                    pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
                }
                try #require(poll(&ready, 2, 60_000) > 0)
                while server.answer() { questions += 1 }
            }
            while server.answer() { questions += 1 }
        }
        #expect(questions > 0)
        #expect(lines.contains("respite_name_server_questions_total \(questions)"))
    }
}
