import { consoleHeader } from "@tapeline/api"
import { Context, Predicate } from "effect"
import type { HttpServerRequest } from "effect/http"

type Request = HttpServerRequest.HttpServerRequest

export class ReverseProxySettings extends Context.Service<ReverseProxySettings, {
  readonly publicUrl: string | undefined
  /** The number of trusted proxies in front of the process. The process ignores headers that untrusted proxies add. */
  readonly trustedProxies: number
}>()("@tapeline/http/ReverseProxySettings") {}

/**
 * Returns the entry that the outermost trusted proxy added to a list header. Returns undefined if no proxy is trusted
 * or the header is missing.
 */
export const trustedProxyEntry = (proxies: number, header: string | undefined): string | undefined => {
  if (proxies === 0 || header === undefined) return undefined
  const entries = header.split(",").map((entry) => entry.trim())
  return entries[Math.max(0, entries.length - proxies)]
}

const isEncrypted = ({ source }: Request): boolean =>
  Predicate.hasProperty(source, "socket") && Predicate.hasProperty(source.socket, "encrypted") &&
  source.socket.encrypted === true

/** Returns whether the browser uses TLS to connect to the process or to a proxy in front of the process. */
const isOverTls = ({ trustedProxies, publicUrl }: ReverseProxySettings["Service"], request: Request): boolean =>
  publicUrl?.startsWith("https:") === true || isEncrypted(request) ||
  trustedProxyEntry(trustedProxies, request.headers["x-forwarded-proto"])?.toLowerCase() === "https"

/** Returns whether a host is the local machine. No other machine can read the traffic to the local machine. */
const isLoopback = (host: string | undefined): boolean =>
  host !== undefined && /^(localhost|[a-z0-9.-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d*)?$/i.test(host)

/**
 * Returns whether a request comes from a page of the service on a host that is not the local machine. Reads the
 * `Origin` header instead of `Host`, because a proxy may replace `Host`.
 */
const isPageOnOtherHost = ({ headers: { origin, "sec-fetch-site": site } }: Request): boolean =>
  site === "same-origin" && origin !== undefined && URL.canParse(origin) && !isLoopback(new URL(origin).host)

/**
 * Returns whether the cookies of a request must be restricted to TLS. Returns false only for unencrypted requests to
 * the local machine.
 */
export const isSecure = (proxySettings: ReverseProxySettings["Service"], request: Request): boolean =>
  isOverTls(proxySettings, request) || !isLoopback(request.headers["host"]) || isPageOnOtherHost(request)

/** Returns the origin from which the requesting browser loads the pages of the service. */
const ownOriginOf = (proxySettings: ReverseProxySettings["Service"], request: Request): string | undefined => {
  const address = proxySettings.publicUrl ?? `http://${request.headers["host"]}`
  if (!URL.canParse(address)) return undefined
  const { host, origin } = new URL(address)
  return proxySettings.publicUrl === undefined && isOverTls(proxySettings, request) ? `https://${host}` : origin
}

/**
 * Returns whether a request comes from anything other than a page of the service. Pages of other origins can neither
 * change the checked browser headers nor send the header of the console.
 */
export const isCrossOrigin = (proxySettings: ReverseProxySettings["Service"], request: Request): boolean => {
  const { origin, [consoleHeader]: consoleMark, "sec-fetch-site": site } = request.headers
  const isOwn = site === undefined
    ? origin !== undefined && origin === ownOriginOf(proxySettings, request)
    : site === "same-origin"
  return !isOwn || consoleMark !== "1"
}

/**
 * Returns whether a page of another site or of a neighbouring host embeds or fetches a resource. A link that the user
 * follows does not count as an embedded resource. Browsers without `Sec-Fetch-Site` send `Origin` only if a page of
 * another origin fetches the resource.
 */
export const isCrossSiteEmbed = (proxySettings: ReverseProxySettings["Service"], request: Request): boolean => {
  const { origin, "sec-fetch-dest": dest, "sec-fetch-site": site } = request.headers
  return site === undefined
    ? origin !== undefined && origin !== ownOriginOf(proxySettings, request)
    : (site === "same-site" || site === "cross-site") && dest !== "document"
}
