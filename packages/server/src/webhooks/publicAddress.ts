import { BlockList, isIPv4, isIPv6 } from "node:net"

/**
 * The blocks of the IANA IPv4 Special-Purpose Address Registry, multicast (RFC 5771), and 240.0.0.0/4 (RFC 1112). The
 * few special-purpose blocks that are globally reachable contain no web servers.
 */
const ipv4Blocks = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4"
] as const

/** The blocks of the IANA IPv6 Special-Purpose Address Registry within 2000::/3. */
const ipv6Blocks = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"] as const

const makeList = (blocks: ReadonlyArray<string>, family: "ipv4" | "ipv6"): BlockList => {
  const list = new BlockList()
  for (const block of blocks) {
    const [network, prefix] = block.split("/")
    list.addSubnet(network!, Number(prefix), family)
  }
  return list
}

const specialIpv4 = makeList(ipv4Blocks, "ipv4")
const specialIpv6 = makeList(ipv6Blocks, "ipv6")
/** The only block from which IANA allocates global unicast addresses. */
const globalIpv6 = makeList(["2000::/3"], "ipv6")

/**
 * Returns whether an IP address is in the public internet. Loopback, private, link-local, shared, multicast and other
 * special-purpose addresses are not public. IPv6 addresses that contain an IPv4 address (IPv4-mapped, 6to4, Teredo,
 * NAT64) are not public either.
 */
export const isPublicAddress = (address: string): boolean =>
  isIPv4(address)
    ? !specialIpv4.check(address, "ipv4")
    : isIPv6(address) && !address.includes("%") && globalIpv6.check(address, "ipv6") &&
      !specialIpv6.check(address, "ipv6")
