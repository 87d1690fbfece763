import fc from "fast-check"
import { BlockList } from "node:net"
import { describe, expect, it } from "vitest"
import { canonicalRange, isInRanges } from "../../src/engine/access/addressRange.ts"

/** Formats the bits of an address without any abbreviation. */
const format = (value: bigint, bits: 32 | 128): string => {
  const [parts, unit, radix, separator] = bits === 32 ? [4, 8n, 10, "."] as const : [8, 16n, 16, ":"] as const
  return Array.from({ length: parts }, (_, i) => {
    const shift = BigInt(bits) - unit * BigInt(i + 1)
    return (value >> shift & (1n << unit) - 1n).toString(radix)
  }).join(separator)
}

describe("A range of IP addresses", () => {
  it("contains the same addresses as the BlockList of Node", () => {
    for (const bits of [32, 128] as const) {
      const version = bits === 32 ? "ipv4" : "ipv6"
      const value = fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n })
      const prefix = fc.integer({ min: 0, max: bits })
      const changedBit = fc.bigInt({ min: 0n, max: BigInt(bits) - 1n })
      fc.assert(fc.property(value, prefix, changedBit, value, (base, prefix, bit, other) => {
        // Node reads an IPv4 address that is written as an IPv6 address like the IPv4 address.
        fc.pre(bits === 32 || base >> 32n !== 0xffffn)
        const hostBits = BigInt(bits - prefix)
        const network = format(base >> hostBits << hostBits, bits)
        const range = canonicalRange(`${network}/${prefix}`)!
        const list = new BlockList()
        list.addSubnet(network, prefix, version)
        for (const address of [base, base ^ 1n << bit, other]) {
          const text = format(address, bits)
          expect(isInRanges(text, [range]), `${text} in ${range}`).toBe(list.check(text, version))
        }
      }))
    }
  })

  it("has one canonical form, whose canonical form is the same text", () => {
    for (
      const [text, canonical] of [
        ["203.0.113.7", "203.0.113.7/32"],
        ["203.0.113.0/24", "203.0.113.0/24"],
        ["0.0.0.0/0", "0.0.0.0/0"],
        ["2001:DB8::", "2001:db8::/128"],
        ["2001:0db8:0:0:1:0:0:1", "2001:db8::1:0:0:1/128"],
        ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1/128"],
        ["::/0", "::/0"],
        ["::1", "::1/128"],
        ["::ffff:203.0.113.7", "203.0.113.7/32"],
        ["::ffff:203.0.113.0/120", "203.0.113.0/24"],
        ["64:ff9b::203.0.113.7", "64:ff9b::cb00:7107/128"]
      ] as const
    ) {
      expect(canonicalRange(text)).toBe(canonical)
      expect(canonicalRange(canonical)).toBe(canonical)
    }
    fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
      const canonical = canonicalRange(address)!
      expect(canonicalRange(canonical)).toBe(canonical)
    }))
  })

  it("is rejected with bits after its prefix or in another notation, and contains no text other than addresses", () => {
    for (
      const text of [
        "203.0.113.7/24",
        "2001:db8::1/64",
        "203.0.113.0/33",
        "::/129",
        "203.0.113.0/024",
        "203.0.113.0/-1",
        "203.0.113.0/",
        "203.0.113.0/24/24",
        "203.0.113",
        "203.0.113.256",
        "203.0.113.07",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "1::2::3",
        "::12345",
        "1.2.3.4::",
        "fe80::1%eth0",
        " 203.0.113.7",
        "example.com",
        "",
        "/0",
        "\0",
        "\ud800",
        "1".repeat(100_000)
      ]
    ) {
      expect(canonicalRange(text), text.slice(0, 40)).toBeNull()
    }
    fc.assert(fc.property(fc.string(), (text) => {
      expect(isInRanges(text, ["10.0.0.0/8", "fc00::/7"])).toBe(false)
    }))
  })

  it("contains an IPv4 address that is written as an IPv6 address, and no address of the other version", () => {
    expect(isInRanges("::ffff:203.0.113.7", ["203.0.113.0/24"])).toBe(true)
    expect(isInRanges("::ffff:cb00:7107", ["203.0.113.0/24"])).toBe(true)
    expect(isInRanges("203.0.113.7", ["::/0"])).toBe(false)
    expect(isInRanges("2001:db8::1", ["0.0.0.0/0"])).toBe(false)
    expect(isInRanges("203.0.113.7", ["198.51.100.0/24", "203.0.113.0/24"])).toBe(true)
    expect(isInRanges("203.0.113.0/24", ["203.0.113.0/24"])).toBe(false)
    expect(isInRanges("unknown", ["0.0.0.0/0", "::/0"])).toBe(false)
  })
})
