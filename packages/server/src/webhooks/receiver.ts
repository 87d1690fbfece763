import type { WebhookUrlProblem } from "@tapeline/core"
import { lookup, Resolver } from "node:dns/promises"
import { isIP } from "node:net"
import type { HostPredicate } from "../proxy/noProxy.ts"
import { isPublicAddress } from "./publicAddress.ts"

const maxUrlLength = 2_048

/** Returns all IP addresses of a host name. `isPermitted` states whether the operator has permitted the name. */
export type ResolveHost = (host: string, isPermitted: boolean) => Promise<ReadonlyArray<string>>

/** Each query of a name server takes at most `timeout` ms at the first try, and longer at the second try. */
const resolverOptions = { timeout: 3_000, tries: 2 }

/**
 * Resolves a permitted name like other programs of this machine, including the hosts file. Resolves other names with
 * DNS queries, because a look-up of the operating system occupies a thread. A few names whose servers do not answer
 * would delay the calls of the whole process.
 */
export const makeResolveHost = (servers?: ReadonlyArray<string>): ResolveHost => async (host, isPermitted) => {
  if (isPermitted) return (await lookup(host, { all: true })).map(({ address }) => address)
  const resolver = new Resolver(resolverOptions)
  if (servers !== undefined) resolver.setServers(servers)
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  if (ipv4.status === "rejected" && ipv6.status === "rejected") throw ipv4.reason
  return [ipv4, ipv6].flatMap((found) => found.status === "fulfilled" ? found.value : [])
}

/** The host and port of a URL: a lower-case name without a trailing dot, or an IP address without brackets. */
export const receiverOf = ({ hostname, port, protocol }: URL): { readonly host: string; readonly port: string } => ({
  host: hostname.replace(/^\[(.*)\]$/u, "$1").replace(/\.$/u, ""),
  port: port !== "" ? port : protocol === "https:" ? "443" : "80"
})

/** Returns why the service never sends to a URL, or null. */
export const checkUrl = (text: string, isPrivateAllowed: HostPredicate): WebhookUrlProblem | null => {
  if (text.length > maxUrlLength || !URL.canParse(text)) return "invalid"
  const url = new URL(text)
  const { host, port } = receiverOf(url)
  if (!["https:", "http:"].includes(url.protocol)) return "not_https"
  // `URL` removes white space, control characters and an empty fragment, and reads a backslash as a slash.
  if (/[#\s\\\p{Cc}]/u.test(text)) return "invalid"
  if (url.username !== "" || url.password !== "") return "credentials"
  if (isPrivateAllowed(host, port)) return null
  if (url.protocol !== "https:") return "not_https"
  return isIP(host) !== 0 && !isPublicAddress(host) ? "private" : null
}

/** The error of a receiver to which no connection was opened. */
class ReceiverRejected extends Error {
  readonly code: string
  constructor(code: "url_rejected" | "private_address") {
    super(`The receiver was rejected (${code})`)
    this.code = code
  }
}

/**
 * Returns the addresses to which a connection may be opened. Rejects if any address of the host is in a private network
 * that the operator has not permitted. The caller must connect only to the returned addresses, because a second look-up
 * of the name may return others.
 */
export const resolveReceiver = async (
  text: string,
  isPrivateAllowed: HostPredicate,
  resolve: ResolveHost
): Promise<ReadonlyArray<string>> => {
  if (checkUrl(text, isPrivateAllowed) !== null) throw new ReceiverRejected("url_rejected")
  const { host, port } = receiverOf(new URL(text))
  const isPermitted = isPrivateAllowed(host, port)
  const addresses = isIP(host) === 0 ? await resolve(host, isPermitted) : [host]
  const isAllowed = isPermitted ||
    addresses.every((address) => isPublicAddress(address) || isPrivateAllowed(address, port))
  if (!isAllowed || addresses.length === 0) throw new ReceiverRejected("private_address")
  return addresses
}
