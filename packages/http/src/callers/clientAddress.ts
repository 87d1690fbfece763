import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { isIP, isIPv4 } from "node:net"
import type { ReverseProxySettings } from "./ReverseProxySettings.ts"

/**
 * Extracts the IP address from an address text, such as `[::1]:80`. The text can contain brackets, a port, and the name
 * of a network interface.
 */
const parseAddress = (text: string): string => {
  const inBrackets = /^\[([^\]]*)\](:\d+)?$/.exec(text)?.[1]
  const withPort = /^(\d+(?:\.\d+){3}):\d+$/.exec(text)?.[1]
  const address = (inBrackets ?? withPort ?? text).replace(/%.*$/, "").toLowerCase()
  return /^::ffff:(\d+(?:\.\d+){3})$/.exec(address)?.[1] ?? address
}

/** Returns the 64-bit network of an IPv6 address. All addresses in a 64-bit network have one owner. */
const networkOf = (address: string): string => {
  const [head = "", tail] = address.split("::")
  const groups = head === "" ? [] : head.split(":")
  const zeroGroups = tail === undefined ? 0 : 8 - groups.length - (tail === "" ? 0 : tail.split(":").length)
  const allGroups = [...groups, ...Array.from({ length: zeroGroups }, () => "0"), ...(tail ?? "").split(":")]
  return allGroups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, "")).join(":")
}

/** Returns the IPv4 address itself, or the first 48 bits of an IPv6 address. */
export const siteOf = (address: string): string => address.split(":").slice(0, 3).join(":")

/**
 * Returns the IP address of a client. Reads the `x-forwarded-for` entry of the outermost trusted proxy, because clients
 * can forge earlier entries. If no trusted proxy added an entry, returns the address of the connection.
 */
export const exactClientAddress = (
  { trustedProxies }: ReverseProxySettings["Service"],
  { headers, remoteAddress }: Pick<HttpServerRequest.HttpServerRequest, "headers" | "remoteAddress">
): string => {
  const peer = parseAddress(Option.getOrElse(remoteAddress, () => "unknown"))
  const forwardedFor = headers["x-forwarded-for"]
  const addresses = [
    ...(trustedProxies === 0 || forwardedFor === undefined
      ? []
      : forwardedFor.split(",").map((entry) => parseAddress(entry.trim()))),
    peer
  ]
  const clientEntry = addresses[Math.max(0, addresses.length - 1 - trustedProxies)]!
  return isIP(clientEntry) === 0 ? peer : clientEntry
}

/**
 * Returns the address by which a client's attempts are counted: the IPv4 address, or the 64-bit network of an IPv6
 * address.
 */
export const clientAddress = (
  proxySettings: ReverseProxySettings["Service"],
  request: Pick<HttpServerRequest.HttpServerRequest, "headers" | "remoteAddress">
): string => {
  const address = exactClientAddress(proxySettings, request)
  return isIP(address) === 0 || isIPv4(address) ? address : networkOf(address)
}
