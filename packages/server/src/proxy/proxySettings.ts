import { Redacted, Result, Schema } from "effect"
import { type HostPredicate, isLoopback, parseNoProxy } from "./noProxy.ts"

export interface Proxy {
  /** The scheme, host and port of the proxy, without credentials. */
  readonly origin: string
  /** The value of the `proxy-authorization` header, or undefined if the proxy's URL has no user and no password. */
  readonly authorization: Redacted.Redacted<string> | undefined
}

export interface OutboundProxySettings {
  /** The proxy for `http:` and `ws:` URLs. */
  readonly http: Proxy | undefined
  /** The proxy for `https:` and `wss:` URLs. */
  readonly https: Proxy | undefined
  /** Returns whether `NO_PROXY` has an entry for a host and port. */
  readonly isDirect: HostPredicate
}

const expectedProxy = "a proxy such as http://proxy.example:3128 or http://user:password@proxy.example:3128, " +
  "over http or https, with special characters of its user and password percent-encoded"

/** Parses the URL of a proxy. The default scheme is HTTP, as in curl. Fails with a message if the URL is invalid. */
const parseProxy = (text: string): Result.Result<Proxy, string> => {
  const address = text.includes("://") ? text : `http://${text}`
  if (!URL.canParse(address)) return Result.fail(`this is not an address; expected ${expectedProxy}`)
  const { hash, host, password, pathname, protocol, search, username } = new URL(address)
  if (!["http:", "https:"].includes(protocol)) {
    return Result.fail(`the scheme is not http or https; expected ${expectedProxy}`)
  }
  if (hash !== "" || search !== "" || !["", "/"].includes(pathname)) {
    return Result.fail(`the address has a path, a query or a fragment; remove it. Expected ${expectedProxy}`)
  }
  try {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    return Result.succeed({
      origin: `${protocol}//${host}`,
      authorization: credentials === ":"
        ? undefined
        : Redacted.make(`Basic ${Buffer.from(credentials).toString("base64")}`)
    })
  } catch {
    return Result.fail(`the user or the password is not percent-encoded; expected ${expectedProxy}`)
  }
}

/**
 * Returns the schema of an optional text that `read` can parse. The error message contains the reason from `read` but
 * never the rejected text.
 */
export const parseableBy = (read: (text: string) => Result.Result<unknown, string>) =>
  Schema.optionalKey(
    Schema.String.check(Schema.makeFilter((text: string) =>
      Result.match(read(text), { onFailure: (reason) => reason, onSuccess: () => true })
    ))
  )

const proxySchema = parseableBy(parseProxy)
const noProxySchema = parseableBy(parseNoProxy)

/** The schemas of the environment variables that configure proxies, as for other programs such as curl. */
export const proxyVariables = {
  HTTP_PROXY: proxySchema,
  http_proxy: proxySchema,
  HTTPS_PROXY: proxySchema,
  https_proxy: proxySchema,
  NO_PROXY: noProxySchema,
  no_proxy: noProxySchema
} as const

/**
 * Returns whether the server ignores a proxy variable. The server ignores a variable if the lower-case form is set too,
 * or if no proxy is set.
 */
export const isUnusedProxyVariable = (
  name: string,
  environment: Readonly<Record<string, string | undefined>>
): boolean => {
  if (!Object.hasOwn(proxyVariables, name)) return false
  const lower = name.toLowerCase()
  const isSet = (other: string) => environment[other] !== undefined
  return (name !== lower && isSet(lower)) ||
    (lower === "no_proxy" && !["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"].some(isSet))
}

type ProxyEnvironment = Schema.Struct<typeof proxyVariables>["Type"]

/** Returns the proxy settings, preferring lower-case variable names, or undefined if no proxy is set. */
export const proxySettingsOf = (environment: ProxyEnvironment): OutboundProxySettings | undefined => {
  const parse = <A>(read: (text: string) => Result.Result<A, string>, text: string | undefined) =>
    text === undefined ? undefined : Result.getOrThrow(read(text))
  const http = parse(parseProxy, environment.http_proxy ?? environment.HTTP_PROXY)
  const https = parse(parseProxy, environment.https_proxy ?? environment.HTTPS_PROXY)
  if (http === undefined && https === undefined) return undefined
  return { http, https, isDirect: parse(parseNoProxy, environment.no_proxy ?? environment.NO_PROXY) ?? (() => false) }
}

const defaultPortByProtocol: Readonly<Record<string, string>> = {
  "http:": "80",
  "ws:": "80",
  "https:": "443",
  "wss:": "443"
}

/**
 * Returns the proxy for a URL. Returns undefined if the server connects directly, for example to a loopback address.
 */
export const proxyFor = (settings: OutboundProxySettings, url: URL): Proxy | undefined => {
  const proxy = ["https:", "wss:"].includes(url.protocol) ? settings.https : settings.http
  const host = url.hostname.toLowerCase().replace(/^\[(.*)\]$/u, "$1").replace(/\.$/u, "")
  const port = url.port === "" ? defaultPortByProtocol[url.protocol] ?? "" : url.port
  return isLoopback(host) || settings.isDirect(host, port) ? undefined : proxy
}
