import { Result } from "effect"
import { BlockList, isIP, isIPv6 } from "node:net"

/**
 * Returns whether the server connects to a host and port without a proxy. The tested host is a lower-case name, or an
 * IP address without brackets.
 */
export type HostPredicate = (host: string, port: string) => boolean

const expectedEntry = "a domain (example.com), a host and port (example.com:8443), an address (10.0.0.1), " +
  "a subnet (10.0.0.0/8) or * for all hosts"

const familyOf = (address: string) => isIPv6(address) ? "ipv6" : "ipv4"

/** Matches IP addresses whose first `bits` bits equal the first bits of `network`. */
const inSubnet = (network: string, bits: number): HostPredicate => {
  const list = new BlockList()
  list.addSubnet(network, bits, familyOf(network))
  return (host) => isIP(host) !== 0 && list.check(host, familyOf(host))
}

const addressBits = (address: string): number => isIPv6(address) ? 128 : 32

/**
 * Returns whether a text is an IP address without a zone such as `%eth0`. The zone of an IPv6 address names a local
 * network interface.
 */
const isAddress = (text: string): boolean => isIP(text) !== 0 && !text.includes("%")

const parseSubnet = (entry: string): Result.Result<HostPredicate, string> => {
  const [address = "", prefix = "", ...rest] = entry.split("/")
  const network = address.replace(/^\[(.*)\]$/u, "$1")
  if (!isAddress(network) || rest.length > 0) return Result.fail("has a path, or its subnet has no IP address")
  const maxBits = addressBits(network)
  return /^\d{1,3}$/u.test(prefix) && Number(prefix) <= maxBits
    ? Result.succeed(inSubnet(network, Number(prefix)))
    : Result.fail(`has a prefix length that is not a number from 0 to ${maxBits}`)
}

const labelPattern = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/u

const parseHost = (entry: string): Result.Result<HostPredicate, string> => {
  const isBareAddress = isAddress(entry)
  const [, bracketed, bare = "", port] = /^(?:\[(.*)\]|(.*?))(?::(.*))?$/u.exec(isBareAddress ? `[${entry}]` : entry) ??
    []
  if (bracketed === undefined && port?.includes(":") === true) {
    return Result.fail("has several colons and is not an IPv6 address")
  }
  if (port !== undefined && !(/^\d{1,5}$/u.test(port) && Number(port) >= 1 && Number(port) <= 65_535)) {
    return Result.fail("has a port that is not a number from 1 to 65535")
  }
  const matchesPort = (otherPort: string) => port === undefined || Number(port) === Number(otherPort)
  const name = bracketed ?? bare
  if (isAddress(name)) {
    const matchesAddress = inSubnet(name, addressBits(name))
    return Result.succeed((host, other) => matchesPort(other) && matchesAddress(host, other))
  }
  const domain = name.replace(/^\*?\./u, "").replace(/\.$/u, "")
  const labels = domain.split(".")
  if (bracketed !== undefined || !labels.every((one) => labelPattern.test(one))) return Result.fail("is not a host")
  // No top-level domain consists of digits, so the text is an incomplete or wrong IP address.
  if (/^\d+$/u.test(labels.at(-1) ?? "")) return Result.fail("is not an IP address")
  return Result.succeed((host, other) => matchesPort(other) && (host === domain || host.endsWith(`.${domain}`)))
}

const parseEntry = (entry: string): Result.Result<HostPredicate, string> => {
  if (entry === "*") return Result.succeed(() => true)
  if (entry.includes("://")) return Result.fail("is a URL; leave out its scheme and path")
  if (entry.includes("%")) return Result.fail("contains a %; write addresses without a zone such as %eth0")
  if (/[[\]]/u.test(entry) && !/^\[[^[\]/]+\](?:$|[:/])/u.test(entry)) {
    return Result.fail("has a misplaced bracket; write an address in brackets as [fd12::1] or [fd12::1]:443")
  }
  return entry.includes("/") ? parseSubnet(entry) : parseHost(entry)
}

/**
 * Parses the entries of `NO_PROXY` or `TAPELINE_WEBHOOK_ALLOW_PRIVATE`, separated by commas and spaces. The error
 * contains only the position of the first invalid entry, because the entry's text may contain a secret.
 */
export const parseNoProxy = (text: string): Result.Result<HostPredicate, string> => {
  const entries = text.toLowerCase().split(/[\s,]+/u).filter((entry) => entry !== "")
  const predicates: Array<HostPredicate> = []
  for (const [i, entry] of entries.entries()) {
    const result = parseEntry(entry)
    if (Result.isFailure(result)) {
      return Result.fail(`entry ${i + 1} of ${entries.length} ${result.failure}; write ${expectedEntry}`)
    }
    predicates.push(result.success)
  }
  return Result.succeed((host, port) => predicates.some((isDirect) => isDirect(host, port)))
}

const loopbackAddresses = new BlockList()
loopbackAddresses.addSubnet("127.0.0.0", 8, "ipv4")
loopbackAddresses.addAddress("::1", "ipv6")

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") ||
  (isIP(host) !== 0 && loopbackAddresses.check(host, familyOf(host)))
