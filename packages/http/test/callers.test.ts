import { assert, it } from "@effect/vitest"
import { Option } from "effect"
import { Headers } from "effect/http"
import * as fc from "fast-check"
import { AttemptLimiter } from "../src/callers/callerLimits.ts"
import { clientAddress, siteOf } from "../src/callers/clientAddress.ts"
import { uniqueCookie } from "../src/callers/cookies.ts"
import { trustedProxyEntry } from "../src/callers/ReverseProxySettings.ts"

const name = "tapeline_session"
const word = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/).filter((text) => text !== name)

it("finds a cookie among any others, and returns undefined if there are two", () => {
  fc.assert(fc.property(
    fc.array(fc.oneof(fc.tuple(word, word).map(([a, b]) => `${a}=${b}`), word, fc.constant("")), { maxLength: 6 }),
    fc.array(word, { maxLength: 3 }),
    fc.nat(),
    fc.constantFrom("; ", ";", " ;  "),
    (others, values, at, between) => {
      const pairs = others.toSpliced(at % (others.length + 1), 0, ...values.map((value) => `${name}=${value}`))
      assert.strictEqual(uniqueCookie(name, pairs.join(between)), values.length === 1 ? values[0] : undefined)
    }
  ))
  assert.isUndefined(uniqueCookie(name, undefined))
  assert.strictEqual(uniqueCookie(name, `${name}=a=b`), "a=b")
})

const addressFrom = (trustedProxies: number, peer: string | undefined, forwardedFor?: string) =>
  clientAddress(
    { publicUrl: undefined, trustedProxies },
    {
      headers: Headers.fromInput(forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor }),
      remoteAddress: Option.fromUndefinedOr(peer)
    }
  )

it("groups IPv6 networks by their first 48 bits, and keeps IPv4 addresses separate", () => {
  const sites = ["2001:db8:5:1", "2001:db8:5:ffff", "2001:db8:6:1", "10.0.0.1", "10.0.0.2", "unknown"].map(siteOf)
  assert.deepStrictEqual(sites, ["2001:db8:5", "2001:db8:5", "2001:db8:6", "10.0.0.1", "10.0.0.2", "unknown"])
})

it("takes the client address that the outermost trusted proxy reports", () => {
  const forwardedAddress = "6.6.6.6"
  const cases: ReadonlyArray<
    readonly [proxies: number, peer: string | undefined, noted: string | undefined, is: string]
  > = [
    [0, "198.51.100.1", undefined, "198.51.100.1"],
    [0, "198.51.100.1", forwardedAddress, "198.51.100.1"],
    [0, "::ffff:198.51.100.1", undefined, "198.51.100.1"],
    [0, undefined, forwardedAddress, "unknown"],
    [1, "10.0.0.1", "198.51.100.1", "198.51.100.1"],
    [1, "10.0.0.1", `${forwardedAddress}, 198.51.100.1`, "198.51.100.1"],
    [2, "10.0.0.1", `${forwardedAddress}, 198.51.100.1, 10.0.0.2`, "198.51.100.1"],
    // In the cases below, the request did not pass through a trusted proxy.
    [2, "198.51.100.1", undefined, "198.51.100.1"],
    [2, "10.0.0.1", "198.51.100.1", "198.51.100.1"],
    [1, "10.0.0.1", "198.51.100.1:4711", "198.51.100.1"],
    [1, "10.0.0.1", "[2001:db8::7]:4711", "2001:db8:0:0"],
    [1, "10.0.0.1", "2001:DB8:0:0:1:2:3:4", "2001:db8:0:0"],
    [1, "10.0.0.1", "2001:db8::1", "2001:db8:0:0"],
    [1, "10.0.0.1", "::1", "0:0:0:0"],
    [1, "10.0.0.1", "fe80::1%eth0", "fe80:0:0:0"],
    [1, "10.0.0.1", "unknown", "10.0.0.1"],
    [1, "10.0.0.1", "", "10.0.0.1"],
    [1, "10.0.0.1", "<script>", "10.0.0.1"]
  ]
  for (const [proxies, peer, forwardedFor, is] of cases) {
    assert.strictEqual(addressFrom(proxies, peer, forwardedFor), is, `${forwardedFor}`)
  }
})

it("ignores forwarded addresses that precede those of the trusted proxies", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.string()),
      fc.ipV4(),
      (proxies, spoofedAddresses, address) => {
        const trustedAddresses = [address, ...Array.from({ length: proxies - 1 }, (_, i) => `10.0.0.${i + 2}`)]
        assert.strictEqual(
          addressFrom(proxies, "10.0.0.1", [...spoofedAddresses, ...trustedAddresses].join(", ")),
          address
        )
        assert.strictEqual(trustedProxyEntry(proxies, [...spoofedAddresses, ...trustedAddresses].join(", ")), address)
        assert.isUndefined(trustedProxyEntry(0, address))
      }
    )
  )
})

type Step = { readonly address: number; readonly waits: number; readonly fails: boolean }

it("limits failed attempts per window, by address and in total, and the remembered addresses", () => {
  const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
    fc.record({ address: fc.nat(8), waits: fc.nat(30), fails: fc.boolean() }),
    { maxLength: 200 }
  )
  fc.assert(fc.property(steps, (steps) => {
    const limits = { maxPerAddress: 3, maxTotal: 10, window: "1 second" } as const
    const attempts = new AttemptLimiter(limits)
    let now = 0
    let ends = 0
    let failed: Array<number> = []
    for (const { address, fails, waits } of steps) {
      now += waits
      if (now >= ends) {
        ends = now + 1000
        failed = []
      }
      const isBelowLimit = failed.length < limits.maxTotal &&
        failed.filter((one) => one === address).length < limits.maxPerAddress
      const attempt = attempts.countAttempt(String(address), BigInt(now) * 1_000_000n)
      if ("retryAfterMs" in attempt) {
        assert.isFalse(isBelowLimit)
        assert.strictEqual(attempt.retryAfterMs, ends - now)
      } else {
        assert.isTrue(isBelowLimit)
        if (fails) failed.push(address)
        else attempt.undo()
      }
      assert.isAtMost(attempts.size, limits.maxTotal)
    }
  }))
})

it("does not credit the next window for an attempt that is undone late", () => {
  const attempts = new AttemptLimiter({ maxPerAddress: 1, maxTotal: 1, window: "1 second" })
  const early = attempts.countAttempt("a", 0n)
  attempts.countAttempt("a", 2_000_000_000n)
  if ("undo" in early) early.undo()
  assert.deepStrictEqual(attempts.countAttempt("a", 2_500_000_000n), { retryAfterMs: 500 })
})
