import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { isIP, isIPv4 } from "node:net"
import type { Approach } from "./Approach.ts"

/** Extracts an address from the form that proxies write: it can have brackets, a port, and the name of an interface. */
const bare = (written: string): string => {
  const inBrackets = /^\[([^\]]*)\](:\d+)?$/.exec(written)?.[1]
  const withPort = /^(\d+(?:\.\d+){3}):\d+$/.exec(written)?.[1]
  const address = (inBrackets ?? withPort ?? written).replace(/%.*$/, "").toLowerCase()
  return /^::ffff:(\d+(?:\.\d+){3})$/.exec(address)?.[1] ?? address
}

/** The 64-bit network of an IPv6 address. The owner of a network has all its addresses. */
const networkOf = (address: string): string => {
  const [before = "", after] = address.split("::")
  const groups = before === "" ? [] : before.split(":")
  const missing = after === undefined ? 0 : 8 - groups.length - (after === "" ? 0 : after.split(":").length)
  const whole = [...groups, ...Array.from({ length: missing }, () => "0"), ...(after ?? "").split(":")]
  return whole.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, "")).join(":")
}

/**
 * Returns the site of an address that `clientAddress` returned: an IPv4 address, or the first 48 bits of an IPv6
 * network. A site can have 65,536 IPv6 networks.
 */
export const siteOf = (address: string): string => address.split(":").slice(0, 3).join(":")

/**
 * Returns the address by which attempts are counted: the client address that the outermost trusted proxy noted; for
 * IPv6, its network. Earlier entries of `x-forwarded-for` are ignored because clients can write them. If the noted text
 * is not an address, the peer's address is used.
 */
export const clientAddress = (
  { proxies }: Approach["Service"],
  { headers, remoteAddress }: Pick<HttpServerRequest.HttpServerRequest, "headers" | "remoteAddress">
): string => {
  const peer = bare(Option.getOrElse(remoteAddress, () => "unknown"))
  const noted = headers["x-forwarded-for"]
  const chain = [...(proxies === 0 || noted === undefined ? [] : noted.split(",").map((one) => bare(one.trim()))), peer]
  const told = chain[Math.max(0, chain.length - 1 - proxies)]!
  const address = isIP(told) === 0 ? peer : told
  return isIP(address) === 0 || isIPv4(address) ? address : networkOf(address)
}
