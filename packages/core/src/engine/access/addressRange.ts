/** An IP address as an integer, with the number of its bits. */
interface Address {
  readonly bits: 32 | 128
  readonly value: bigint
}

const readGroups = (texts: ReadonlyArray<string>, pattern: RegExp, radix: 10 | 16, max: number) => {
  const groups = texts.map((text) => pattern.test(text) ? Number.parseInt(text, radix) : max + 1)
  return groups.every((group) => group <= max) ? groups : null
}

const joinGroups = (groups: ReadonlyArray<number>, bits: bigint): bigint =>
  groups.reduce((value, group) => value << bits | BigInt(group), 0n)

const parseIpv4 = (text: string): bigint | null => {
  const parts = text.split(".")
  // A leading zero is rejected, because some programs read it as an octal number.
  const groups = parts.length === 4 ? readGroups(parts, /^(0|[1-9]\d{0,2})$/, 10, 255) : null
  return groups === null ? null : joinGroups(groups, 8n)
}

/** Returns the 16-bit groups of a part of an IPv6 address. The last group may be an IPv4 address. */
const readIpv6Part = (text: string, isLast: boolean): ReadonlyArray<number> | null => {
  if (text === "") return []
  const parts = text.split(":")
  const ipv4 = isLast ? parseIpv4(parts.at(-1)!) : null
  const groups = readGroups(ipv4 === null ? parts : parts.slice(0, -1), /^[0-9a-f]{1,4}$/i, 16, 0xffff)
  if (groups === null || ipv4 === null) return groups
  return [...groups, Number(ipv4 >> 16n), Number(ipv4 & 0xffffn)]
}

const parseIpv6 = (text: string): bigint | null => {
  const [head = "", tail, ...rest] = text.split("::")
  if (rest.length > 0) return null
  const first = readIpv6Part(head, tail === undefined)
  const last = tail === undefined ? [] : readIpv6Part(tail, true)
  if (first === null || last === null) return null
  const zeros = 8 - first.length - last.length
  if (tail === undefined ? zeros !== 0 : zeros < 1) return null
  return joinGroups([...first, ...Array.from({ length: zeros }, () => 0), ...last], 16n)
}

/** The first 96 bits of an IPv4 address that is written as an IPv6 address. */
const mappedPrefix = 0xffffn

const parseAddress = (text: string): Address | null => {
  if (text.length > 45) return null
  const ipv4 = parseIpv4(text)
  if (ipv4 !== null) return { bits: 32, value: ipv4 }
  const value = text.includes(":") ? parseIpv6(text) : null
  return value === null ? null : { bits: 128, value }
}

const formatIpv4 = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => value >> shift & 0xffn).join(".")

/** Formats an IPv6 address with the rules of RFC 5952. */
const formatIpv6 = (value: bigint): string => {
  const groups = Array.from({ length: 8 }, (_, i) => (value >> BigInt(112 - 16 * i) & 0xffffn).toString(16))
  const runs = groups.map((_, start) => {
    const end = groups.findIndex((group, i) => i >= start && group !== "0")
    return { start, length: (end === -1 ? 8 : end) - start }
  })
  const longest = runs.reduce((a, b) => b.length > a.length ? b : a)
  if (longest.length < 2) return groups.join(":")
  return `${groups.slice(0, longest.start).join(":")}::${groups.slice(longest.start + longest.length).join(":")}`
}

/** A range of IP addresses: the addresses of one version that begin with the same `prefix` bits as `value`. */
interface AddressRange extends Address {
  readonly prefix: number
}

const hostBitsOf = ({ bits, prefix }: Pick<AddressRange, "bits" | "prefix">): bigint => BigInt(bits - prefix)

/** Converts a range of IPv4 addresses that are written as IPv6 addresses to a range of IPv4 addresses. */
const toIpv4 = (range: AddressRange): AddressRange =>
  range.bits === 128 && range.prefix >= 96 && range.value >> 32n === mappedPrefix
    ? { bits: 32, prefix: range.prefix - 96, value: range.value & 0xffffffffn }
    : range

const parseRange = (text: string): AddressRange | null => {
  const [addressText = "", prefixText, ...rest] = text.split("/")
  const address = parseAddress(addressText)
  if (address === null || rest.length > 0) return null
  if (prefixText === undefined) return toIpv4({ ...address, prefix: address.bits })
  const prefix = /^(0|[1-9]\d{0,2})$/.test(prefixText) ? Number(prefixText) : Infinity
  return prefix > address.bits ? null : toIpv4({ ...address, prefix })
}

/**
 * Returns the canonical form of a range of IP addresses in CIDR notation, such as `203.0.113.0/24` or `2001:db8::/32`.
 * A single address is a range. Returns null for a text that is neither an address nor a range. Also returns null for a
 * range whose address has bits after the prefix, because such a range is probably a mistake.
 */
export const canonicalRange = (text: string): string | null => {
  const range = parseRange(text)
  if (range === null || (range.value & (1n << hostBitsOf(range)) - 1n) !== 0n) return null
  return `${range.bits === 32 ? formatIpv4(range.value) : formatIpv6(range.value)}/${range.prefix}`
}

/** Returns whether an address is in one of the ranges. A text that is not an IP address is in no range. */
export const isInRanges = (address: string, ranges: ReadonlyArray<string>): boolean => {
  const client = parseRange(address.includes("/") ? "" : address)
  return client !== null && ranges.some((text) => {
    const range = parseRange(text)
    return range !== null && range.bits === client.bits &&
      range.value >> hostBitsOf(range) === client.value >> hostBitsOf(range)
  })
}
