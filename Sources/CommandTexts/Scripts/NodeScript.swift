/// The script that makes every version of Node use the proxy, by `--require`.
///
/// Versions that know `--use-env-proxy` do it themselves. Others ignore the variables: the script leads `http`, `https`
/// and `fetch` through the proxy, by CONNECT for https. The variables tell it where the proxy is.
public enum NodeScript {
    /// JavaScript for `--require`.
    public static let text = #"""
        'use strict';
        (() => {
            const variable = (name) => process.env[name] || process.env[name.toUpperCase()];
            if (process.allowedNodeEnvironmentFlags.has('--use-env-proxy') || !variable('https_proxy')) return;
            const http = require('http');
            const https = require('https');
            const net = require('net');
            const tls = require('tls');
            const proxy = new URL(variable('https_proxy'));
            const proxyHost = proxy.hostname.replace(/^\[|\]$/g, '');
            const exceptions = (variable('no_proxy') || '').split(',').map((name) => name.trim().replace(/^\*?\./, '')).filter(Boolean);
            const isDirect = (host) => {
                const name = String(host || 'localhost').replace(/^\[|\]$/g, '').toLowerCase();
                return exceptions.some((one) => one === '*' || name === one || name.endsWith('.' + one));
            };
            const tunnel = (host, port, callback) => {
                const name = net.isIPv6(host) ? `[${host}]` : host;
                const socket = net.connect({ host: proxyHost, port: proxy.port });
                const fail = (error) => { socket.destroy(); callback(error); };
                let head = '';
                const read = (piece) => {
                    head += piece.toString('latin1');
                    const end = head.indexOf('\r\n\r\n');
                    if (end < 0 && head.length < 65536) return;
                    socket.off('data', read);
                    socket.off('error', fail);
                    socket.off('close', closed);
                    if (!/^HTTP\/1\.[01] 200/.test(head)) return fail(new Error(`the proxy refuses CONNECT ${name}:${port}: ${head.split('\r\n')[0]}`));
                    socket.pause();
                    if (head.length > end + 4) socket.unshift(Buffer.from(head.slice(end + 4), 'latin1'));
                    callback(null, socket);
                };
                const closed = () => fail(new Error('the proxy closed the connection'));
                socket.on('error', fail);
                socket.on('close', closed);
                socket.on('data', read);
                socket.write(`CONNECT ${name}:${port} HTTP/1.1\r\nHost: ${name}:${port}\r\n\r\n`);
            };
            const secure = (options, callback) => {
                const host = options.hostname || options.host;
                tunnel(host, options.port || 443, (error, socket) => {
                    if (error) return callback(error);
                    const name = options.servername || (net.isIP(host) ? undefined : host);
                    const session = tls.connect({ ...options, path: undefined, host: undefined, port: undefined, socket, servername: name, ALPNProtocols: ['http/1.1'] });
                    const fail = (reason) => callback(reason);
                    session.once('error', fail);
                    session.once('secureConnect', () => { session.off('error', fail); callback(null, session); });
                });
            };
            const createSecure = https.Agent.prototype.createConnection;
            https.Agent.prototype.createConnection = function (...words) {
                const options = words.find((word) => word && typeof word === 'object') || {};
                const callback = words.find((word) => typeof word === 'function');
                const host = options.hostname || options.host;
                if (!callback || options.socketPath || options.socket || isDirect(host)) return createSecure.apply(this, words);
                secure(options, callback);
                return undefined;
            };
            const add = http.Agent.prototype.addRequest;
            http.Agent.prototype.addRequest = function (request, options, ...rest) {
                const isPlain = options && typeof options === 'object' && !(this instanceof https.Agent) && request.protocol === 'http:';
                const host = isPlain && (options.host || options.hostname);
                if (!isPlain || options.socketPath || isDirect(host) || !request.path.startsWith('/')) return add.call(this, request, options, ...rest);
                const authority = (net.isIPv6(host) ? `[${host}]` : host) + (options.port && Number(options.port) !== 80 ? `:${options.port}` : '');
                request.path = `http://${authority}${request.path}`;
                return add.call(this, request, { ...options, host: proxyHost, hostname: proxyHost, port: Number(proxy.port), servername: undefined }, ...rest);
            };
            const original = globalThis.fetch;
            if (typeof original !== 'function') return;
            const place = Symbol.for('undici.globalDispatcher.1');
            const connect = (options, callback) => {
                const host = options.hostname || options.host;
                if (options.protocol === 'https:' && !isDirect(host)) return secure(options, callback);
                if (options.protocol === 'https:') {
                    const session = tls.connect({ ...options, host, port: options.port || 443, servername: options.servername || (net.isIP(host) ? undefined : host) });
                    session.once('secureConnect', () => callback(null, session)).once('error', (error) => callback(error));
                    return session;
                }
                const socket = net.connect({ host, port: options.port || 80 });
                return socket.once('connect', () => callback(null, socket)).once('error', (error) => callback(error));
            };
            // A plain request goes to the proxy with its whole URL.
            const dispatcher = (Agent) => class extends Agent {
                dispatch(options, handler) {
                    const origin = new URL(options.origin);
                    if (origin.protocol !== 'http:' || isDirect(origin.hostname)) return super.dispatch(options, handler);
                    return super.dispatch({ ...options, origin: `http://${proxy.host}`, path: origin.origin + options.path }, handler);
                }
            };
            let isReady = false;
            globalThis.fetch = function fetch(...words) {
                if (!isReady) {
                    isReady = true;
                    // Its classes are loaded when one of them is first named.
                    void globalThis.Headers;
                    const present = globalThis[place];
                    if (present && present.constructor.name === 'Agent') globalThis[place] = new (dispatcher(present.constructor))({ connect });
                }
                return original.apply(this, words);
            };
        })();

        """#
}
