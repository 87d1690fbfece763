import { consoleHeader } from "@tapeline/api"
import { Context, Predicate } from "effect"
import type { HttpServerRequest } from "effect/http"

type Request = HttpServerRequest.HttpServerRequest

/** How requests come to this process. */
export class Approach extends Context.Service<Approach, {
  /** Where it is reached, where it was told. */
  readonly publicUrl: string | undefined
  /** So many proxies stand before it, and only what they say of a request is believed. */
  readonly proxies: number
}>()("@tapeline/http/Approach") {}

/** What the outermost of our own proxies noted in a header to which each adds what it saw; undefined without them. */
export const notedBy = (proxies: number, noted: string | undefined): string | undefined => {
  if (proxies === 0 || noted === undefined) return undefined
  const all = noted.split(",").map((one) => one.trim())
  return all[Math.max(0, all.length - proxies)]
}

const isEncrypted = ({ source }: Request): boolean =>
  Predicate.hasProperty(source, "socket") && Predicate.hasProperty(source.socket, "encrypted") &&
  source.socket.encrypted === true

/** True when the browser speaks TLS, to this process or to what stands before it. */
const isByTls = ({ proxies, publicUrl }: Approach["Service"], request: Request): boolean =>
  publicUrl?.startsWith("https:") === true || isEncrypted(request) ||
  notedBy(proxies, request.headers["x-forwarded-proto"])?.toLowerCase() === "https"

/** A host that is this machine alone: nobody listens on the way. */
const isLoopback = (host: string | undefined): boolean =>
  host !== undefined && /^(localhost|[a-z0-9.-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d*)?$/i.test(host)

/**
 * True where a page of this service has an address elsewhere, though the request came to this machine: a proxy wrote
 * its own into `Host`. What browsers send for other pages says nothing of this service.
 */
const isPageElsewhere = ({ headers: { origin, "sec-fetch-site": site } }: Request): boolean =>
  site === "same-origin" && origin !== undefined && URL.canParse(origin) && !isLoopback(new URL(origin).host)

/** False where cookies travel without TLS, as they may on this machine and nowhere else. */
export const isSecure = (approach: Approach["Service"], request: Request): boolean =>
  isByTls(approach, request) || !isLoopback(request.headers["host"]) || isPageElsewhere(request)

/** The origin that pages of this service have for the browser that asks. */
const originOf = (approach: Approach["Service"], request: Request): string | undefined => {
  const address = approach.publicUrl ?? `http://${request.headers["host"]}`
  if (!URL.canParse(address)) return undefined
  const { host, origin } = new URL(address)
  return approach.publicUrl === undefined && isByTls(approach, request) ? `https://${host}` : origin
}

/**
 * True unless a page of this service sent the request, by what browsers say of that and pages cannot change; and by a
 * header of our own, which no form can carry and no page of another origin is let send.
 */
export const isForeign = (approach: Approach["Service"], request: Request): boolean => {
  const { origin, [consoleHeader]: ours, "sec-fetch-site": site } = request.headers
  const isOwn = site === undefined
    ? origin !== undefined && origin === originOf(approach, request)
    : site === "same-origin"
  return !isOwn || ours !== "1"
}

/**
 * True where a page of another site, or of a neighbour host, has its visitor's browser read something: in an image, a
 * script, a frame, by `fetch`. A link that is followed is its visitor's own, and only they see what comes of it.
 */
export const isEmbedded = ({ headers: { "sec-fetch-dest": dest, "sec-fetch-site": site } }: Request): boolean =>
  (site === "same-site" || site === "cross-site") && dest !== "document"
