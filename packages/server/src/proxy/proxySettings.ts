import { Redacted, Schema } from "effect"
import { BlockList, isIP, isIPv6 } from "node:net"

/** A proxy for outgoing requests. */
export interface Proxy {
  /** Scheme, host and port, without credentials. */
  readonly origin: string
  /** The value of the `proxy-authorization` header. Undefined if the address has no user and no password. */
  readonly authorization: Redacted.Redacted<string> | undefined
}

/** The proxies for outgoing requests, and the hosts that the server connects to directly. */
export interface ProxySettings {
  /** For `http:` and `ws:`. */
  readonly http: Proxy | undefined
  /** For `https:` and `wss:`. */
  readonly https: Proxy | undefined
  /** The text of `NO_PROXY`. */
  readonly noProxy: string
}

const expected = "a proxy such as http://proxy.example:3128 or http://user:password@proxy.example:3128, " +
  "over http or https, with special characters of its user and password percent-encoded"

/** Parses the address of a proxy. As with curl, an address without a scheme means http. Null for any other text. */
const parseProxy = (text: string): Proxy | null => {
  const address = text.includes("://") ? text : `http://${text}`
  if (!URL.canParse(address)) return null
  const { host, password, protocol, username } = new URL(address)
  if (!["http:", "https:"].includes(protocol)) return null
  try {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    return {
      origin: `${protocol}//${host}`,
      authorization: credentials === ":"
        ? undefined
        : Redacted.make(`Basic ${Buffer.from(credentials).toString("base64")}`)
    }
  } catch {
    return null
  }
}

const proxy = Schema.optionalKey(
  Schema.String.check(Schema.makeFilter((text) => parseProxy(text) !== null, { expected }))
)

/** The variables of proxies, which the server shares with curl and other programs. */
export const proxyVariables = {
  HTTP_PROXY: proxy,
  http_proxy: proxy,
  HTTPS_PROXY: proxy,
  https_proxy: proxy,
  NO_PROXY: Schema.optionalKey(Schema.String),
  no_proxy: Schema.optionalKey(Schema.String)
} as const

type Given = Schema.Struct<typeof proxyVariables>["Type"]

/** The settings of the variables, the lower-case names first. Undefined if no proxy is set. */
export const proxySettingsOf = (given: Given): ProxySettings | undefined => {
  const parse = (text: string | undefined) => text === undefined ? undefined : parseProxy(text) ?? undefined
  const http = parse(given.http_proxy ?? given.HTTP_PROXY)
  const https = parse(given.https_proxy ?? given.HTTPS_PROXY)
  if (http === undefined && https === undefined) return undefined
  return { http, https, noProxy: given.no_proxy ?? given.NO_PROXY ?? "" }
}

const familyOf = (address: string) => isIPv6(address) ? "ipv6" : "ipv4"

const loopback = new BlockList()
loopback.addSubnet("127.0.0.0", 8, "ipv4")
loopback.addAddress("::1", "ipv6")

const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || (isIP(host) !== 0 && loopback.check(host, familyOf(host)))

const isInSubnet = (host: string, subnet: string): boolean => {
  const [network = "", prefix = ""] = subnet.split("/")
  const bits = /^\d{1,3}$/u.test(prefix) ? Number(prefix) : Infinity
  if (isIP(host) === 0 || isIP(network) === 0 || bits > (isIPv6(network) ? 128 : 32)) return false
  const list = new BlockList()
  list.addSubnet(network, bits, familyOf(network))
  return list.check(host, familyOf(host))
}

const defaultPorts: Readonly<Record<string, string>> = { "http:": "80", "ws:": "80", "https:": "443", "wss:": "443" }

/** Whether one entry of `NO_PROXY` covers a host: `*`, a domain with its subdomains, an address or a subnet. */
const covers = (entry: string, host: string, port: string): boolean => {
  if (entry === "*") return true
  if (entry.includes("/")) return isInSubnet(host, entry)
  const [, name = "", only] = /^\[?(.*?)\]?(?::(\d+))?$/u.exec(isIPv6(entry) ? `[${entry}]` : entry) ?? []
  const domain = name.replace(/^\*?\./u, "").replace(/\.$/u, "")
  if (domain === "" || (only !== undefined && only !== port)) return false
  return host === domain || host.endsWith(`.${domain}`)
}

/** The proxy for a URL. Undefined if the server connects directly: always to loopback addresses. */
export const proxyFor = (settings: ProxySettings, url: URL): Proxy | undefined => {
  const proxy = ["https:", "wss:"].includes(url.protocol) ? settings.https : settings.http
  const host = url.hostname.toLowerCase().replace(/^\[(.*)\]$/u, "$1").replace(/\.$/u, "")
  const port = url.port === "" ? defaultPorts[url.protocol] ?? "" : url.port
  const entries = settings.noProxy.toLowerCase().split(/[\s,]+/u).filter((entry) => entry !== "")
  return isLoopback(host) || entries.some((entry) => covers(entry, host, port)) ? undefined : proxy
}
