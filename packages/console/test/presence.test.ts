import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { fetchWithPresence, idleAfterMs, makePresence } from "../browser/requests/presence.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const watchPresence = () => {
  const window = new EventTarget()
  const document = Object.assign(new EventTarget(), { visibilityState: "visible" })
  const presence = makePresence()
  const presenceChanges: Array<boolean> = []
  presence.subscribe(() => void presenceChanges.push(presence.isPresent()))
  presence.watch(window, document)
  return { window, document, presence, presenceChanges }
}

it("reports the user as absent after five minutes without input, and present at the next input", () => {
  const { presence, presenceChanges, window } = watchPresence()
  vi.advanceTimersByTime(idleAfterMs - 1)
  expect(presence.isPresent()).toBe(true)
  window.dispatchEvent(new Event("pointermove"))
  vi.advanceTimersByTime(idleAfterMs - 1)
  expect([presence.isPresent(), presenceChanges]).toEqual([true, []])
  vi.advanceTimersByTime(1)
  expect(presence.isPresent()).toBe(false)
  // Scripts can dispatch `scroll`, `focus`, `message` and `online`, so the four events do not prove that a person is
  // present.
  for (const event of ["scroll", "focus", "message", "online"]) window.dispatchEvent(new Event(event))
  expect(presence.isPresent()).toBe(false)
  for (const event of ["keydown", "pointerdown", "pointermove", "wheel", "touchstart"]) {
    window.dispatchEvent(new Event(event))
    expect(presence.isPresent(), event).toBe(true)
    vi.advanceTimersByTime(idleAfterMs)
    expect(presence.isPresent(), event).toBe(false)
  }
  expect(presenceChanges).toEqual([false, true, false, true, false, true, false, true, false, true, false])
})

it("reports the user as present when the page becomes visible, and as absent after it was hidden", () => {
  const { document, presence } = watchPresence()
  document.visibilityState = "hidden"
  document.dispatchEvent(new Event("visibilitychange"))
  expect(presence.isPresent()).toBe(true)
  vi.advanceTimersByTime(idleAfterMs)
  document.dispatchEvent(new Event("visibilitychange"))
  expect(presence.isPresent()).toBe(false)
  document.visibilityState = "visible"
  document.dispatchEvent(new Event("visibilitychange"))
  expect(presence.isPresent()).toBe(true)
})

it("marks requests as unattended while the user is absent, and keeps their other headers", async () => {
  const requestHeaders: Array<Headers> = []
  const ask = (isPresent: boolean) =>
    fetchWithPresence({ isPresent: () => isPresent }, (_, init) => {
      requestHeaders.push(new Headers(init?.headers))
      return Promise.resolve(new Response())
    })("http://localhost:8787/v1/usage", { headers: new Headers({ "x-tapeline-console": "1" }) })
  await ask(true)
  await ask(false)
  expect(requestHeaders.map((headers) => [headers.get("x-tapeline-console"), headers.get("x-tapeline-unattended")]))
    .toEqual([
      ["1", null],
      ["1", "true"]
    ])
})
