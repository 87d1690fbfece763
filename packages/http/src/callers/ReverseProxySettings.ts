import { consoleHeader } from "@tapeline/api"
import { Context, Predicate } from "effect"
import type { HttpServerRequest } from "effect/http"

type Request = HttpServerRequest.HttpServerRequest

/** How requests reach this process. */
export class ReverseProxySettings extends Context.Service<ReverseProxySettings, {
  /** The public URL of the service, if it is configured. */
  readonly publicUrl: string | undefined
  /** The number of trusted proxies in front of this process. Headers of other proxies are ignored. */
  readonly trustedProxies: number
}>()("@tapeline/http/Approach") {}

/**
 * Returns the entry that the outermost trusted proxy added to a list header. Undefined without proxies or without the
 * header.
 */
export const trustedProxyEntry = (proxies: number, header: string | undefined): string | undefined => {
  if (proxies === 0 || header === undefined) return undefined
  const entries = header.split(",").map((entry) => entry.trim())
  return entries[Math.max(0, entries.length - proxies)]
}

const isEncrypted = ({ source }: Request): boolean =>
  Predicate.hasProperty(source, "socket") && Predicate.hasProperty(source.socket, "encrypted") &&
  source.socket.encrypted === true

/** Whether the browser uses TLS, to this process or to a proxy in front of it. */
const isOverTls = ({ trustedProxies, publicUrl }: ReverseProxySettings["Service"], request: Request): boolean =>
  publicUrl?.startsWith("https:") === true || isEncrypted(request) ||
  trustedProxyEntry(trustedProxies, request.headers["x-forwarded-proto"])?.toLowerCase() === "https"

/** Whether a host is this machine, so that no one can listen on the way. */
const isLoopback = (host: string | undefined): boolean =>
  host !== undefined && /^(localhost|[a-z0-9.-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d*)?$/i.test(host)

/**
 * Whether a page of this service has an address on another host although the request's `Host` is this machine: a proxy
 * wrote its own `Host`. The headers of requests from other pages are not evidence for this service.
 */
const isPageOnOtherHost = ({ headers: { origin, "sec-fetch-site": site } }: Request): boolean =>
  site === "same-origin" && origin !== undefined && URL.canParse(origin) && !isLoopback(new URL(origin).host)

/** Whether cookies must be restricted to TLS. False only for requests to this machine without TLS. */
export const isSecure = (proxySettings: ReverseProxySettings["Service"], request: Request): boolean =>
  isOverTls(proxySettings, request) || !isLoopback(request.headers["host"]) || isPageOnOtherHost(request)

/** The origin of this service's pages in the browser that sends the request. */
const ownOriginOf = (proxySettings: ReverseProxySettings["Service"], request: Request): string | undefined => {
  const address = proxySettings.publicUrl ?? `http://${request.headers["host"]}`
  if (!URL.canParse(address)) return undefined
  const { host, origin } = new URL(address)
  return proxySettings.publicUrl === undefined && isOverTls(proxySettings, request) ? `https://${host}` : origin
}

/**
 * Whether a request does not come from a page of this service. Checks headers that browsers set and pages cannot
 * change. Also checks a header of our own, which forms cannot send and pages of other origins are not allowed to send.
 */
export const isCrossOrigin = (proxySettings: ReverseProxySettings["Service"], request: Request): boolean => {
  const { origin, [consoleHeader]: consoleMark, "sec-fetch-site": site } = request.headers
  const isOwn = site === undefined
    ? origin !== undefined && origin === ownOriginOf(proxySettings, request)
    : site === "same-origin"
  return !isOwn || consoleMark !== "1"
}

/**
 * Whether a page of another site or of a neighbouring host makes its visitor's browser read a resource: in an image, a
 * script or a frame, or by `fetch`. False if the visitor follows a link, because only the visitor sees the result.
 */
export const isCrossSiteEmbed = ({ headers: { "sec-fetch-dest": dest, "sec-fetch-site": site } }: Request): boolean =>
  (site === "same-site" || site === "cross-site") && dest !== "document"
