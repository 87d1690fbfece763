import { Effect, Redacted, type Scope } from "effect"
import type { ClientRequestArgs } from "node:http"
import { isIP } from "node:net"
import type { Duplex } from "node:stream"
import { connect as connectTls } from "node:tls"
import { Agent, type Dispatcher, getGlobalDispatcher, Pool, ProxyAgent, setGlobalDispatcher } from "undici"
import { type OutboundProxySettings, type Proxy, proxyFor } from "./proxySettings.ts"

/** Opens the socket of a request, with the signature that `node:http` requires. */
type CreateConnection = NonNullable<ClientRequestArgs["createConnection"]>

/**
 * The maximum time in ms of each step of a connection. The steps are the connection to the proxy, the response to
 * CONNECT, and the TLS handshake with the target.
 */
const defaultConnectTimeoutMs = 10_000

/** The error of a proxy that did not open a connection. The error message contains only an error code as the reason. */
class ProxyFailed extends Error {
  readonly code: string
  constructor(code: string) {
    super(`The proxy opened no connection (${code})`)
    this.code = code
  }
}

const errorCodeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "FAILED"

/** A pool of connections to one proxy, in which a failed CONNECT request rejects with `ProxyFailed`. */
class ProxyPool extends Pool {
  // The declared type also has a callback overload, which neither `ProxyAgent` nor this module uses.
  override connect = (async (options: Dispatcher.ConnectOptions) => {
    const response = await super.connect(options).catch((error: unknown) => {
      throw new ProxyFailed(`PROXY_${errorCodeOf(error)}`)
    })
    if (response.statusCode === 200) return response
    response.socket.on("error", () => undefined).destroy()
    throw new ProxyFailed(`PROXY_STATUS_${response.statusCode}`)
  }) as Pool["connect"]
}

const makeProxyPool = (origin: string | URL, timeoutMs: number, options: object = {}): ProxyPool =>
  new ProxyPool(origin, { ...options, headersTimeout: timeoutMs })

const isConnectError = (error: Error): boolean =>
  errorCodeOf(error) === "UND_ERR_CONNECT_TIMEOUT" ||
  ("syscall" in error && (error.syscall === "connect" || error.syscall === "getaddrinfo"))

/**
 * Converts the failures of a proxy to `ProxyFailed`. Plain HTTP requests go to the proxy itself, so a connection error
 * or status 407 comes from the proxy.
 */
const toProxyError = (error: Error): Error => {
  if (error.message.startsWith("Proxy Authentication Required")) return new ProxyFailed("PROXY_STATUS_407")
  return isConnectError(error) ? new ProxyFailed(`PROXY_${errorCodeOf(error)}`) : error
}

const proxyErrorInterceptor: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const fail = handler.onResponseError?.bind(handler)
  handler.onResponseError = (controller, error) => fail?.(controller, toProxyError(error))
  return dispatch(options, handler)
}

const makeProxyAgent = ({ authorization, origin }: Proxy, options: Agent.Options, timeoutMs: number): Dispatcher =>
  new ProxyAgent({
    ...options,
    uri: origin,
    ...(authorization === undefined ? {} : { token: Redacted.value(authorization) }),
    proxyTls: { timeout: timeoutMs },
    requestTls: { timeout: timeoutMs },
    // For plain HTTP, `ProxyAgent` passes only the connection options to the factory.
    factory: (origin, own: object) => new Pool(origin, { ...options, ...own }),
    clientFactory: (url, connector) => makeProxyPool(url, timeoutMs, connector)
  }).compose(proxyErrorInterceptor)

/**
 * Returns a function that creates HTTP dispatchers. A dispatcher sends each request through the configured proxy or
 * directly.
 */
export const makeProxyDispatcher = (settings: OutboundProxySettings) => (options: Agent.Options = {}): Dispatcher => {
  const { connect } = options
  const timeoutMs = typeof connect === "object" ? connect.timeout ?? defaultConnectTimeoutMs : defaultConnectTimeoutMs
  return new Agent({
    ...options,
    factory: (origin, own) => {
      const proxy = proxyFor(settings, new URL(origin))
      return proxy === undefined ? new Pool(origin, own) : makeProxyAgent(proxy, options, timeoutMs)
    }
  })
}

/** Applies the proxy settings to every `fetch` request of the process, until the scope ends. */
export const installProxyDispatcher = (settings: OutboundProxySettings): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const [previous, dispatcher] = [getGlobalDispatcher(), makeProxyDispatcher(settings)()]
      setGlobalDispatcher(dispatcher)
      return { before: previous, dispatcher }
    }),
    ({ before, dispatcher }) =>
      Effect.promise(() => {
        setGlobalDispatcher(before)
        return dispatcher.destroy()
      })
  )

const isSecure = ({ protocol }: URL): boolean => protocol === "wss:" || protocol === "https:"

/** Opens a tunnel to `target`, a host and port, through a proxy. */
export const openTunnel = ({ authorization, origin }: Proxy, target: string): Promise<Duplex> => {
  const headers = {
    host: target,
    ...(authorization === undefined ? {} : { "proxy-authorization": Redacted.value(authorization) })
  }
  const pool = makeProxyPool(origin, defaultConnectTimeoutMs)
  return pool.connect({ path: target, headers }).then(({ socket }) => socket).finally(() => void pool.close())
}

const makeTunnel = (url: URL, proxy: Proxy): CreateConnection => (_, callback) => {
  const host = url.hostname.replace(/^\[(.*)\]$/u, "$1")
  const target = `${url.hostname}:${url.port === "" ? (isSecure(url) ? 443 : 80) : url.port}`
  openTunnel(proxy, target).then(
    (socket) =>
      // A server name must not be an IP address, so `servername` is omitted for an IP address. Node then checks the
      // certificate against `host`.
      callback(null, isSecure(url) ? connectTls({ socket, host, servername: isIP(host) === 0 ? host : "" }) : socket),
    // After an error, the caller does not use the socket, so the cast is safe.
    (error: Error) => callback(error, undefined as never)
  )
  return undefined
}

/**
 * Returns a function that opens the socket of a WebSocket through a proxy, or undefined if no proxy applies to the URL.
 */
export const makeSocketConnections =
  (settings: OutboundProxySettings) => (address: string): CreateConnection | undefined => {
    const url = new URL(address)
    const proxy = proxyFor(settings, url)
    return proxy === undefined ? undefined : makeTunnel(url, proxy)
  }
