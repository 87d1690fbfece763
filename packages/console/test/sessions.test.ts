import { describe, expect, it } from "vitest"
import { parseDevice } from "../browser/pages/sessions/device.ts"
import { type Session, splitByState } from "../browser/pages/sessions/sessionState.ts"

describe("A device", () => {
  it.each([
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
      ["Edge 141", "Windows", false]
    ],
    [
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36",
      ["Chrome 140", "Linux", false]
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
      ["Safari 18", "iPhone", true]
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/141.0 Mobile/15E148 Safari/604.1",
      ["Chrome 141", "iPhone", true]
    ],
    [
      "Mozilla/5.0 (Linux; Android 15; SM-S931N) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36",
      ["Samsung Internet 28", "Android", true]
    ],
    ["Mozilla/5.0 (Macintosh; Intel Mac OS X 15.5; rv:143.0) Gecko/20100101 Firefox/143.0", [
      "Firefox 143",
      "macOS",
      false
    ]],
    ["curl/8.5.0", ["curl 8", undefined, false]],
    ["", [undefined, undefined, false]]
  ])("is parsed from the user agent: %s", (text, expected) => {
    const { isHandheld, machine, program } = parseDevice(text)
    expect([program, machine, isHandheld]).toEqual(expected)
  })
})

it("separates live from past sessions, and lists the current one first even after its end", () => {
  const now = Date.parse("2026-11-22T18:00:00Z")
  const session = (id: number, usedAt: string, fields: Partial<Session> = {}): Session => ({
    id,
    signed_in_by: "link",
    device: "",
    created_at: "2026-11-20T00:00:00Z",
    last_used_at: usedAt,
    ends_at: "2026-11-23T00:00:00Z",
    ended_at: null,
    ended_because: null,
    current: false,
    ...fields
  })
  const { live, past: pastSessions } = splitByState([
    session(1, "2026-11-22T10:00:00Z"),
    session(2, "2026-11-22T12:00:00Z"),
    session(3, "2026-11-21T10:00:00Z", { ends_at: "2026-11-22T17:59:59Z" }),
    session(4, "2026-11-22T11:00:00Z", { ended_at: "2026-11-22T11:30:00Z", ended_because: "revoked" }),
    session(5, "2026-11-01T00:00:00Z", { ends_at: "2026-11-01T12:00:00Z", current: true })
  ], now)
  expect([live.map(({ id }) => id), pastSessions.map(({ id }) => id)]).toEqual([[5, 2, 1], [4, 3]])
})
