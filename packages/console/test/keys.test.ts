import { describe, expect, it } from "vitest"
import { makeRelativeTime } from "../browser/i18n/relativeTime.ts"
import { computeExpiry, today } from "../browser/pages/keys/expiry.ts"
import { getKeyState, isInUse, splitByState } from "../browser/pages/keys/keyState.ts"
import { emptyLimits, parseLimits, toLimitDraft } from "../browser/pages/keys/limitDraft.ts"
import { isIncluded, minimalScopes, scopeGroups, scopes } from "../browser/pages/keys/scopes.ts"
import { shellExample } from "../browser/pages/keys/shellExample.ts"
import { readAllPages } from "../browser/requests/readAllPages.ts"

const now = Date.parse("2026-11-22T18:00:00Z")
const at = (days: number): string => new Date(now + days * 86_400_000).toISOString()

describe("The state of a key", () => {
  const key = { expires_at: null, revoked_at: null }

  it("depends on its revocation first, then on the time until its expiry", () => {
    expect(getKeyState(key, now)).toBe("live")
    expect(getKeyState({ ...key, expires_at: at(8) }, now)).toBe("live")
    expect(getKeyState({ ...key, expires_at: at(7) }, now)).toBe("ending")
    expect(getKeyState({ ...key, expires_at: at(0) }, now)).toBe("expired")
    expect(getKeyState({ expires_at: at(-3), revoked_at: at(-5) }, now)).toBe("revoked")
  })

  it("separates live from past keys, and lists the latest first", () => {
    const keys = [
      { ...key, id: 1 },
      { ...key, id: 2, revoked_at: at(-1) },
      { ...key, id: 3, expires_at: at(-1) },
      { ...key, id: 4, expires_at: at(1) }
    ]
    const { live, past: pastKeys } = splitByState(keys, now)
    expect([live.map(({ id }) => id), pastKeys.map(({ id }) => id)]).toEqual([[4, 1], [3, 2]])
  })

  it("is \"in use\" if the key was used within a day", () => {
    expect([null, at(-0.9), at(-1.1)].map((last_used_at) => isInUse({ last_used_at }, now))).toEqual([
      false,
      true,
      false
    ])
  })
})

describe("The limits of a key", () => {
  const limits = { monthly_credits: 5_000, requests_per_minute: 20, allowed_ips: ["203.0.113.0/24", "2001:db8::/32"] }

  it("do not change when they are converted to texts of form fields and back", () => {
    expect(parseLimits(toLimitDraft(limits), "en")).toEqual(limits)
    const none = { monthly_credits: null, requests_per_minute: null, allowed_ips: [] }
    expect(toLimitDraft(none)).toEqual(emptyLimits)
    expect(parseLimits(emptyLimits, "en")).toEqual(none)
  })

  it("accept 0 credits, separators of thousands, and addresses separated by lines or commas", () => {
    const draft = { credits: "0", requests: " 1,200 ", addresses: " 192.0.2.1,\n198.51.100.0/24 \n\n" }
    expect(parseLimits(draft, "en")).toEqual({
      monthly_credits: 0,
      requests_per_minute: 1_200,
      allowed_ips: ["192.0.2.1", "198.51.100.0/24"]
    })
  })

  it("reject negative and fractional numbers, other texts, and 0 requests", () => {
    for (const credits of ["-1", "1.5", "many"]) expect(parseLimits({ ...emptyLimits, credits }, "en")).toBeUndefined()
    for (const requests of ["0", "x"]) expect(parseLimits({ ...emptyLimits, requests }, "en")).toBeUndefined()
  })
})

describe("Scopes", () => {
  it("are each offered once", () => {
    expect(scopeGroups.flatMap(({ scopes }) => scopes)).toEqual(scopes)
  })

  it("are reduced to a minimal set that grants the whole selection", () => {
    expect(minimalScopes(["read:us", "agent:chat", "read:korea"])).toEqual(["read:korea", "read:us", "agent:chat"])
    expect(minimalScopes(["read:us", "agent:chat", "read:market"])).toEqual(["read:market", "agent:chat"])
    for (const bitmask of Array(2 ** scopes.length).keys()) {
      const selectedScopes = scopes.filter((_, i) => (bitmask >> i) % 2 === 1)
      const sent = minimalScopes(selectedScopes)
      for (const scope of scopes) {
        expect(sent.includes(scope) || isIncluded(scope, sent)).toBe(
          selectedScopes.includes(scope) || isIncluded(scope, selectedScopes)
        )
      }
    }
  })
})

describe("The expiry of a key", () => {
  it("is never, after a number of days, at the end of a day, or unchanged", () => {
    expect(computeExpiry("never", "", now)).toEqual({ at: null })
    expect(computeExpiry("kept", "", now)).toEqual({ at: undefined })
    expect(computeExpiry("30", "", now)).toEqual({ at: at(30) })
    expect(computeExpiry("day", "2027-03-01", now)).toEqual({ at: new Date(2027, 2, 1, 23, 59, 59).toISOString() })
  })

  it("is rejected if the day is missing, invalid or past, and accepted for today", () => {
    expect(["", "soon", "2027-13-01"].map((day) => computeExpiry("day", day, now))).toEqual(
      Array.from({ length: 3 }, () => ({ fault: "no day" }))
    )
    expect(computeExpiry("day", "2026-11-20", now)).toEqual({ fault: "past" })
    expect(computeExpiry("day", today(now), now)).toHaveProperty("at")
  })
})

it("shows an example call that the scopes of the key permit", () => {
  expect(shellExample("tl_live_x", ["read:market"], "http://host")).toContain("http://host/v1/tools/get_price")
  expect(shellExample("tl_live_x", ["agent:chat"], "http://host")).toBe(
    "export TAPELINE_API_KEY=tl_live_x\ncurl -s http://host/v1/usage \\\n  -H \"authorization: Bearer $TAPELINE_API_KEY\""
  )
})

it("reads all pages of a list", async () => {
  const requestedLimits: Array<number | undefined> = []
  const all = await readAllPages(async (cursor) => {
    requestedLimits.push(cursor)
    const from = cursor ?? 0
    return { items: [from, from + 1], next: from < 4 ? from + 2 : null }
  })
  expect([all, requestedLimits]).toEqual([[0, 1, 2, 3, 4, 5], [undefined, 2, 4]])
})

it("formats a relative time in the largest unit that fits", () => {
  const ago = makeRelativeTime("en")
  expect([-0.0001, -59 / 1440, -1.5 / 24, -1, 9.9].map((days) => ago(at(days), now))).toEqual([
    "now",
    "59 minutes ago",
    "1 hour ago",
    "yesterday",
    "in 9 days"
  ])
})
