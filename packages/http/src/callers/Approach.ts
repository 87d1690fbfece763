import { consoleHeader } from "@tapeline/api"
import { Context, Predicate } from "effect"
import type { HttpServerRequest } from "effect/http"

type Request = HttpServerRequest.HttpServerRequest

/** How requests reach this process. */
export class Approach extends Context.Service<Approach, {
  /** The public URL of the service, if it is configured. */
  readonly publicUrl: string | undefined
  /** The number of trusted proxies in front of this process. Headers of other proxies are ignored. */
  readonly proxies: number
}>()("@tapeline/http/Approach") {}

/**
 * Returns the entry that the outermost trusted proxy added to a list header. Undefined without proxies or without the
 * header.
 */
export const notedBy = (proxies: number, noted: string | undefined): string | undefined => {
  if (proxies === 0 || noted === undefined) return undefined
  const all = noted.split(",").map((one) => one.trim())
  return all[Math.max(0, all.length - proxies)]
}

const isEncrypted = ({ source }: Request): boolean =>
  Predicate.hasProperty(source, "socket") && Predicate.hasProperty(source.socket, "encrypted") &&
  source.socket.encrypted === true

/** Whether the browser uses TLS, to this process or to a proxy in front of it. */
const isByTls = ({ proxies, publicUrl }: Approach["Service"], request: Request): boolean =>
  publicUrl?.startsWith("https:") === true || isEncrypted(request) ||
  notedBy(proxies, request.headers["x-forwarded-proto"])?.toLowerCase() === "https"

/** Whether a host is this machine, so that no one can listen on the way. */
const isLoopback = (host: string | undefined): boolean =>
  host !== undefined && /^(localhost|[a-z0-9.-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d*)?$/i.test(host)

/**
 * Whether a page of this service has an address on another host although the request's `Host` is this machine: a proxy
 * wrote its own `Host`. The headers of requests from other pages are not evidence for this service.
 */
const isPageElsewhere = ({ headers: { origin, "sec-fetch-site": site } }: Request): boolean =>
  site === "same-origin" && origin !== undefined && URL.canParse(origin) && !isLoopback(new URL(origin).host)

/** Whether cookies must be restricted to TLS. False only for requests to this machine without TLS. */
export const isSecure = (approach: Approach["Service"], request: Request): boolean =>
  isByTls(approach, request) || !isLoopback(request.headers["host"]) || isPageElsewhere(request)

/** The origin of this service's pages in the browser that sends the request. */
const originOf = (approach: Approach["Service"], request: Request): string | undefined => {
  const address = approach.publicUrl ?? `http://${request.headers["host"]}`
  if (!URL.canParse(address)) return undefined
  const { host, origin } = new URL(address)
  return approach.publicUrl === undefined && isByTls(approach, request) ? `https://${host}` : origin
}

/**
 * Whether a request does not come from a page of this service. Checks headers that browsers set and pages cannot
 * change. Also checks a header of our own, which forms cannot send and pages of other origins are not allowed to send.
 */
export const isForeign = (approach: Approach["Service"], request: Request): boolean => {
  const { origin, [consoleHeader]: ours, "sec-fetch-site": site } = request.headers
  const isOwn = site === undefined
    ? origin !== undefined && origin === originOf(approach, request)
    : site === "same-origin"
  return !isOwn || ours !== "1"
}

/**
 * Whether a page of another site or of a neighbouring host makes its visitor's browser read a resource: in an image, a
 * script or a frame, or by `fetch`. False if the visitor follows a link, because only the visitor sees the result.
 */
export const isEmbedded = ({ headers: { "sec-fetch-dest": dest, "sec-fetch-site": site } }: Request): boolean =>
  (site === "same-site" || site === "cross-site") && dest !== "document"
